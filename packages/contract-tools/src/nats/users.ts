import { type NatsUserName, natsUserName, serviceNames } from "@malipo/contracts";
import { type NatsPermissions, operatorPermissions, servicePermissions } from "./permissions.ts";

interface NatsUser {
  readonly user: string;
  /** The environment variable of nats-server that holds the password. */
  readonly passwordVariable: string;
  readonly permissions: NatsPermissions;
}

export function passwordVariable(of: NatsUserName): string {
  return `NATS_PASSWORD_${of.toUpperCase()}`;
}

/** One user for each service, and one for operators. */
export function listNatsUsers(namespace: string): NatsUser[] {
  return [...serviceNames, "ops" as const].map((of) => ({
    user: natsUserName(namespace, of),
    passwordVariable: passwordVariable(of),
    permissions: of === "ops" ? operatorPermissions(namespace) : servicePermissions(namespace, of),
  }));
}

/** The `authorization` block of nats-server's configuration. It refers to passwords and contains none. */
export function formatAuthorization(users: readonly NatsUser[]): string {
  const blocks = users.map(({ user, passwordVariable, permissions }) =>
    [
      `    {`,
      `      user: ${JSON.stringify(user)}`,
      `      password: $${passwordVariable}`,
      `      permissions: {`,
      `        publish: {`,
      ...formatSubjects("allow", permissions.publish),
      ...formatSubjects("deny", permissions.publishDenied),
      `        }`,
      `        subscribe: {`,
      ...formatSubjects("allow", permissions.subscribe),
      `        }`,
      `      }`,
      `    }`,
    ].join("\n"),
  );
  return [`authorization {`, `  users = [`, ...blocks, `  ]`, `}`, ``].join("\n");
}

function formatSubjects(name: "allow" | "deny", subjects: readonly string[]): string[] {
  if (subjects.length === 0) return [];
  return [
    `          ${name}: [`,
    ...subjects.map((subject) => `            ${JSON.stringify(subject)}`),
    `          ]`,
  ];
}
