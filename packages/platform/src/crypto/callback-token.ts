import { createHmac, timingSafeEqual } from "node:crypto";
import { parseId } from "@malipo/core";
import { z } from "zod";

const idLength = 24;
const macLength = 32;

/**
 * The last part of the address that a provider calls back: the transaction's id and a signature. It
 * is hexadecimal, so a token never spells a word that the provider rejects in addresses.
 */
export function createCallbackToken(transactionid: string, key: string): string {
  return transactionid + macOf(transactionid, key);
}

/** The transaction that a token was made for; null unless one of the keys signed it. */
export function verifyCallbackToken(token: string, keys: readonly string[]): string | null {
  const transactionid = parseId(token.slice(0, idLength));
  const mac = Buffer.from(token.slice(idLength));
  if (transactionid === null || mac.length !== macLength) return null;
  const isOurs = keys.some((key) => timingSafeEqual(mac, Buffer.from(macOf(transactionid, key))));
  return isOurs ? transactionid : null;
}

function macOf(transactionid: string, key: string): string {
  return createHmac("sha256", key)
    .update(`callback:${transactionid}`)
    .digest("hex")
    .slice(0, macLength);
}

/**
 * To rotate, put a new key in front of the old one. Remove the old key a day later, when no provider
 * calls an address that it signed.
 */
export const callbackKeys = z
  .string()
  .transform((text) => text.split(","))
  .refine((keys) => keys.every((key) => key.length >= 32 && key.length <= 512))
  .describe(
    "the keys that sign callback addresses, 32 characters or more; several are separated by commas, the newest first",
  );
