import { createHash } from "node:crypto";

/** Names bytes by what they are made of: the same now and wherever else they are made. */
export function hashContent(made: string): string {
  return createHash("sha256").update(made).digest("base64url").slice(0, 22);
}
