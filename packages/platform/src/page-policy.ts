import { createHash } from "node:crypto";

/** Lets a page use its own style sheet and its own pictures; nothing else, from nowhere. */
export function pagePolicy(style: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
