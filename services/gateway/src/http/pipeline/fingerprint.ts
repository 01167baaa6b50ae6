import { hash } from "node:crypto";

/** The id of a key's record: a key counts within its business and route only. */
export function keyIdOf(businessid: string, route: string, key: string): string {
  return digest(joinWithLengths([businessid, route, key]));
}

/** Two requests with one fingerprint are the same request. */
export function fingerprintOf(
  method: string,
  url: string,
  body: Uint8Array = new Uint8Array(),
): string {
  const head = Buffer.from(`${joinWithLengths([method, url])}${body.length}:`);
  return digest(Buffer.concat([head, body]));
}

/** The length before each part makes the text unambiguous: different parts, different text. */
function joinWithLengths(parts: readonly string[]): string {
  let joined = "";
  for (const part of parts) joined += `${part.length}:${part}`;
  return joined;
}

/** One call, because updating a hash in pieces costs twice as much. */
function digest(data: string | Uint8Array): string {
  return hash("sha256", data, "base64url");
}
