import { createHash } from "node:crypto";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";

const keyMax = 255;

/** A key as clients write it, bare or in quotes. */
export function readKey(header: string): Result<string, Fault> {
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (key.length >= 1 && key.length <= keyMax && /^[\x20-\x7e]+$/.test(key)) return ok(key);
  return err(fault("invalid_idempotency_key"));
}

/** A key counts within its business and route only. */
export function recordIdOf(businessid: string, route: string, key: string): string {
  return digest([businessid, route, key]);
}

/** What makes a request the same request again. */
export function fingerprintOf(method: string, url: string, body: Uint8Array | undefined): string {
  return digest([method, url, body ?? ""]);
}

/** Lengths stand before the parts, so that no two lists of parts read alike. */
function digest(parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("base64url");
}
