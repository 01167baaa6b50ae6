import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writePrivateJson } from "./folder.ts";

export interface LocalSecrets {
  readonly operatortoken: string;
  readonly encryptionkey: string;
  readonly callbackkey: string;
}

/** The same for the folder's whole life, so that what was noted down keeps working over a restart. */
export function loadSecrets(path: string): LocalSecrets {
  const kept = readKept(path);
  const secrets = {
    operatortoken: kept.operatortoken ?? randomBytes(32).toString("base64url"),
    encryptionkey: kept.encryptionkey ?? randomBytes(32).toString("base64"),
    callbackkey: kept.callbackkey ?? randomBytes(32).toString("base64url"),
  };
  writePrivateJson(path, secrets);
  return secrets;
}

function readKept(path: string): Partial<LocalSecrets> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return {};
  }
}
