import { type NatsPermissions, operatorPermissions, servicePermissions } from "./permissions.ts";
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
export function listNatsUsers(namespace: string): NatsUser[] {
  return [...serviceNames, "ops" as const].map((of) => ({
    user: natsUserName(namespace, of),
    passwordVariable: passwordVariable(of),
    permissions: of === "ops" ? operatorPermissions(namespace) : servicePermissions(namespace, of),
  }));
}

/** The part of nats-server's configuration that says who may do what; the passwords are not in it. */
export function formatAuthorization(users: readonly NatsUser[]): string {
  const written = users.map(({ user, passwordVariable, permissions }) =>
    [
      `    {`,
      `      user: ${JSON.stringify(user)}`,
      `      password: $${passwordVariable}`,
      `      permissions: {`,
      `        publish: {`,
      ...listOf("allow", permissions.publish),
      ...listOf("deny", permissions.publishDenied),
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
