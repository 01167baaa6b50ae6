import { createHash } from "node:crypto";

/** A version for content: equal content has an equal hash, in every process. */
export function hashContent(content: string): string {
  return createHash("sha256").update(content).digest("base64url").slice(0, 22);
}
