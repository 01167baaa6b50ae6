import { type NatsPermissions, operatorPermissions, permissionsOf } from "./permissions.ts";
import { type NatsUserName, natsUserName, serviceNames } from "@malipo/contracts";

interface NatsUser {
  readonly user: string;
  /** Of the environment in which nats-server runs. */
  readonly passwordVariable: string;
  readonly permissions: NatsPermissions;
}

export function passwordVariable(of: NatsUserName): string {
  return `NATS_PASSWORD_${of.toUpperCase()}`;
}

/** One user for each service and one for operators. */
export function natsUsers(namespace: string): NatsUser[] {
  return [...serviceNames, "ops" as const].map((of) => ({
    user: natsUserName(namespace, of),
    passwordVariable: passwordVariable(of),
    permissions: of === "ops" ? operatorPermissions(namespace) : permissionsOf(namespace, of),
  }));
}

/** The part of nats-server's configuration that says who may do what; the passwords are not in it. */
export function authorizationConfig(users: readonly NatsUser[]): string {
  const written = users.map(({ user, passwordVariable, permissions }) =>
    [
      `    {`,
      `      user: ${JSON.stringify(user)}`,
      `      password: $${passwordVariable}`,
      `      permissions: {`,
      `        publish: {`,
      ...listOf("allow", permissions.publish),
      ...listOf("deny", permissions.publishNever),
      `        }`,
      `        subscribe: {`,
      ...listOf("allow", permissions.subscribe),
      `        }`,
      `      }`,
      `    }`,
    ].join("\n"),
  );
  return [`authorization {`, `  users = [`, ...written, `  ]`, `}`, ``].join("\n");
}

function listOf(name: "allow" | "deny", subjects: readonly string[]): string[] {
  if (subjects.length === 0) return [];
  return [
    `          ${name}: [`,
    ...subjects.map((subject) => `            ${JSON.stringify(subject)}`),
    `          ]`,
  ];
}
