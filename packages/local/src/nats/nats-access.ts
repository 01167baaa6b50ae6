import { randomBytes } from "node:crypto";
import {
  anyNamespace,
  formatAuthorization,
  type NatsPermissions,
  listNatsUsers,
  passwordVariable,
} from "@malipo/contract-tools";
import { natsUserName } from "@malipo/contracts";
import type { ServiceName } from "@malipo/contracts";

const allPermissions: NatsPermissions = { publish: [">"], publishDenied: [], subscribe: [">"] };

/** The users of a NATS server, with their permissions and passwords. */
export interface NatsAccess {
  readonly config: string;
  /** The passwords, as environment variables of nats-server. */
  readonly env: Readonly<Record<string, string>>;
  /** A user with all permissions, for people and tools on this machine. */
  readonly owner: { readonly user: string; readonly password: string };
  credentialsOf(service: ServiceName): Readonly<Record<"NATS_USER" | "NATS_PASSWORD", string>>;
}

/** Creates users for one namespace, with new random passwords. */
export function createNatsAccess(namespace: string): NatsAccess {
  return accessFor(namespace, () => `p${randomBytes(24).toString("hex")}`);
}

/**
 * Creates users for any namespace, with fixed passwords. A client without a password has all
 * permissions, so that tests can inspect and change everything.
 */
export function createTestNatsAccess(): NatsAccess {
  const access = accessFor(anyNamespace, (user) => `a-password-of-tests-for-${user}`);
  return {
    ...access,
    config: `${access.config}no_auth_user: ${JSON.stringify(access.owner.user)}\n`,
  };
}

function accessFor(namespace: string, passwordOf: (user: string) => string): NatsAccess {
  const owner = {
    user: `${namespace}-owner`,
    passwordVariable: "NATS_PASSWORD_OWNER",
    permissions: allPermissions,
  };
  const users = [...listNatsUsers(namespace), owner];
  const env = Object.fromEntries(
    users.map(({ user, passwordVariable }) => [passwordVariable, passwordOf(user)]),
  );
  const password = (variable: string): string => env[variable] ?? "";
  return {
    config: formatAuthorization(users),
    env,
    owner: { user: owner.user, password: password(owner.passwordVariable) },
    credentialsOf: (service) => ({
      NATS_USER: natsUserName(namespace, service),
      NATS_PASSWORD: password(passwordVariable(service)),
    }),
  };
}
