import { createHash } from "node:crypto";

/** The Content-Security-Policy of a page: its own style sheet, script and inline images, nothing else. */
export function contentSecurityPolicy(style: string, script?: string): string {
  return [
    "default-src 'none'",
    `style-src ${sourceHash(style)}`,
    ...(script === undefined ? [] : [`script-src ${sourceHash(script)}`, "connect-src 'self'"]),
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

function sourceHash(source: string): string {
  return `'sha256-${createHash("sha256").update(source).digest("base64")}'`;
}
