import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writePrivateJson } from "./folder.ts";

export interface LocalSecrets {
  readonly operatortoken: string;
  readonly encryptionkey: string;
  readonly callbackkey: string;
  readonly mongodbpassword: string;
}

/** Reads the folder's secrets, and creates missing ones. They stay the same after a restart. */
export function loadSecrets(path: string): LocalSecrets {
  const stored = readStored(path);
  const secrets = {
    operatortoken: stored.operatortoken ?? randomBytes(32).toString("base64url"),
    encryptionkey: stored.encryptionkey ?? randomBytes(32).toString("base64"),
    callbackkey: stored.callbackkey ?? randomBytes(32).toString("base64url"),
    mongodbpassword: stored.mongodbpassword ?? randomBytes(32).toString("base64url"),
  };
  writePrivateJson(path, secrets);
  return secrets;
}

function readStored(path: string): Partial<LocalSecrets> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
