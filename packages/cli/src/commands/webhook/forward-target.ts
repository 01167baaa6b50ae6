import { createHmac } from "node:crypto";
import { usageError } from "../../command-error.ts";

const secretBytesMin = 24;
const secretBytesMax = 64;

/** Parses the address that events are forwarded to. It may have no scheme: `localhost:3000/hook`. */
export function parseTargetUrl(text: string): string {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`);
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password) {
    throw usageError("--forward must be an address like http://localhost:3000/hook.");
  }
  url.hash = "";
  return url.href;
}

export function parseSigningSecret(text: string): string {
  const base64 = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text)?.[1];
  const { length } = Buffer.from(base64 ?? "", "base64");
  if (length < secretBytesMin || length > secretBytesMax) {
    throw usageError("--secret must be whsec_ and 24 to 64 bytes in base64.");
  }
  return text;
}

/**
 * Derives the default signing secret from the business's secret. It is the same at every start, and
 * the business's secret cannot be computed from it.
 */
export function deriveSigningSecret(token: string): string {
  const key = createHmac("sha256", token).update("malipo webhook listen").digest("base64");
  return `whsec_${key}`;
}
