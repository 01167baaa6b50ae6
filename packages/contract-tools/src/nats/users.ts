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

/** One user for each service, and one for operators. The system account's user is not among them. */
export function listNatsUsers(namespace: string): NatsUser[] {
  return [...serviceNames, "ops" as const].map((of) => ({
    user: natsUserName(namespace, of),
    passwordVariable: passwordVariable(of),
    permissions: of === "ops" ? operatorPermissions(namespace) : servicePermissions(namespace, of),
  }));
}

/** The users of one deployment, as nats-server's configuration. It refers to passwords and contains none. */
export function formatNatsUsers(namespace: string): string {
  return formatAuthorization(listNatsUsers(namespace)) + formatSystemAccount(namespace);
}

/**
 * The system account with its one user, who sees servers, connections and streams, and no message of
 * the services. `nats server report` needs it. Not for nats-server before 2.10: with this account it
 * accepts connections without a password.
 */
export function formatSystemAccount(namespace: string): string {
  const user = JSON.stringify(natsUserName(namespace, "sys"));
  const credentials = `{ user: ${user}, password: $${passwordVariable("sys")} }`;
  return [`accounts {`, `  $SYS {`, `    users = [${credentials}]`, `  }`, `}`, ``].join("\n");
}

/** The `authorization` block of nats-server's configuration, without the system account. */
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
