import { readFileSync } from "node:fs";
import type { UserPassword } from "./credential.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export const userVariable = "EMBEDDED_MONGO_USER";
export const passwordVariable = "EMBEDDED_MONGO_PASSWORD";

/**
 * The user of the command line. No option takes the password itself, because every user of the machine
 * can read the arguments of a process.
 */
export function readUser(
  given: { readonly user?: string | undefined; readonly "password-file"?: string | undefined },
  environment: Environment,
): UserPassword | undefined {
  const user = given.user ?? environment[userVariable];
  const file = given["password-file"];
  const password =
    file === undefined ? environment[passwordVariable] : readFileSync(file, "utf8").trim();
  if (!user && !password) return undefined;
  if (!user) throw new Error(`a password needs a user: --user <name> or ${userVariable}`);
  if (!password) {
    throw new Error(
      `the user ${user} needs a password: --password-file <path> or ${passwordVariable}`,
    );
  }
  return { user, password };
}
