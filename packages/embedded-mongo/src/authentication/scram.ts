import { Buffer } from "node:buffer";
import { timingSafeEqual } from "node:crypto";
import { hmac, sha256 } from "./credential.ts";
import type { Credential } from "./credential.ts";

/* The messages of SCRAM-SHA-256 (RFC 5802 and 7677), from the server's side. */

/** The exchange after the server's first message. */
export type ScramExchange = {
  readonly user: string;
  /** The header of the client's first message, which its final message repeats. */
  readonly header: string;
  /** The nonce of the client followed by that of the server. */
  readonly nonce: string;
  readonly clientFirst: string;
  readonly serverFirst: string;
};

const proofBytes = 32;
/** Clients that know channel binding send `y`. An empty authorization identity is the user itself. */
const firstPattern = /^([ny],,)(n=([^,]+),r=([\x21-\x2b\x2d-\x7e]{1,256}))$/;
const finalPattern = /^(c=([^,]+),r=([^,]+)),p=([A-Za-z0-9+/=]+)$/;

/** Reads the client's first message. Returns undefined if it is malformed or asks for extensions. */
export function beginScram(
  credential: Credential,
  message: string,
  serverNonce: string,
): ScramExchange | undefined {
  const [, header, clientFirst, user, clientNonce] = firstPattern.exec(message) ?? [];
  if (header === undefined || clientFirst === undefined || user === undefined) return undefined;
  const nonce = `${clientNonce}${serverNonce}`;
  const { salt, iterations } = credential;
  // An unknown user gets the same answer as the known one.
  const serverFirst = `r=${nonce},s=${salt.toString("base64")},i=${iterations}`;
  return { user, header, nonce, clientFirst, serverFirst };
}

/**
 * Checks the client's final message. Returns the server's final message, or undefined if the client
 * did not prove that it knows the password.
 */
export function finishScram(
  credential: Credential,
  exchange: ScramExchange,
  message: string,
): string | undefined {
  const [, withoutProof, binding = "", nonce, encodedProof = ""] = finalPattern.exec(message) ?? [];
  const proof = Buffer.from(encodedProof, "base64");
  if (proof.length !== proofBytes || nonce !== exchange.nonce) return undefined;
  if (binding !== Buffer.from(exchange.header).toString("base64")) return undefined;
  const signed = `${exchange.clientFirst},${exchange.serverFirst},${withoutProof}`;
  const signature = hmac(credential.storedKey, signed);
  const clientKey = Buffer.from(proof.map((byte, at) => byte ^ signature[at]!));
  const isProved = timingSafeEqual(sha256(clientKey), credential.storedKey);
  if (!isProved || exchange.user !== credential.user) return undefined;
  return `v=${hmac(credential.serverKey, signed).toString("base64")}`;
}
