import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { writePrivateJson } from "./folder.ts";

/** The same for the folder's whole life, so that what was noted down keeps working over a restart. */
export function operatorTokenOf(path: string): string {
  const kept = readToken(path);
  if (kept !== undefined) return kept;
  const operatortoken = randomBytes(32).toString("base64url");
  writePrivateJson(path, { operatortoken });
  return operatortoken;
}

function readToken(path: string): string | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    const hasToken = typeof content === "object" && content !== null && "operatortoken" in content;
    return hasToken && typeof content.operatortoken === "string"
      ? content.operatortoken
      : undefined;
  } catch {
    return undefined;
  }
}
