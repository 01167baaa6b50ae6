import { randomBytes } from "node:crypto";
import {
  anyNamespace,
  authorizationConfig,
  type NatsPermissions,
  natsUserName,
  natsUsers,
  passwordVariable,
} from "@malipo/contracts";
import type { ServiceName } from "@malipo/contracts";

const everything: NatsPermissions = { publish: [">"], publishNever: [], subscribe: [">"] };

/** Who may do what on a NATS server, and how they show who they are. */
export interface NatsAccess {
  readonly config: string;
  /** The passwords, as nats-server's environment. */
  readonly env: Readonly<Record<string, string>>;
  /** One more user, of people and programs on this machine, who may do everything. */
  readonly owner: { readonly user: string; readonly password: string };
  credentialsOf(service: ServiceName): Readonly<Record<"NATS_USER" | "NATS_PASSWORD", string>>;
}

/** For one namespace, under passwords that nobody has had before. */
export function createNatsAccess(namespace: string): NatsAccess {
  return accessFor(namespace, () => `p${randomBytes(24).toString("hex")}`);
}

/**
 * For whatever namespace a test takes, under passwords that every test knows; and whoever shows
 * none may do everything, so that a test can look and meddle.
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
    permissions: everything,
  };
  const users = [...natsUsers(namespace), owner];
  const env = Object.fromEntries(
    users.map(({ user, passwordVariable }) => [passwordVariable, passwordOf(user)]),
  );
  const password = (variable: string): string => env[variable] ?? "";
  return {
    config: authorizationConfig(users),
    env,
    owner: { user: owner.user, password: password(owner.passwordVariable) },
    credentialsOf: (service) => ({
      NATS_USER: natsUserName(namespace, service),
      NATS_PASSWORD: password(passwordVariable(service)),
    }),
  };
}
