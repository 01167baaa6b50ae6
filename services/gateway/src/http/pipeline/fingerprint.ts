import { hash } from "node:crypto";
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
  return digest(markLengths([businessid, route, key]));
}

/** What makes a request the same request again. */
export function fingerprintOf(
  method: string,
  url: string,
  body: Uint8Array = new Uint8Array(),
): string {
  const head = Buffer.from(`${markLengths([method, url])}${body.length}:`);
  return digest(Buffer.concat([head, body]));
}

/** Lengths stand before the parts, so that no two lists of parts read alike. */
function markLengths(parts: readonly string[]): string {
  let marked = "";
  for (const part of parts) marked += `${part.length}:${part}`;
  return marked;
}

/** In one call: a hash that is fed piece by piece costs twice as much. */
function digest(data: string | Uint8Array): string {
  return hash("sha256", data, "base64url");
}
