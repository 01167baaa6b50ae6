import { createHmac, timingSafeEqual } from "node:crypto";
import { parseId } from "@malipo/core";
import { z } from "zod";

const idLength = 24;
const macLength = 32;

// Hexadecimal, so that no token ever spells a word that the provider refuses in addresses.

/** What stands at the end of the address that a provider is told to call back. */
export function callbackToken(transactionid: string, key: string): string {
  return transactionid + macOf(transactionid, key);
}

/** The transaction a token was made for; null when we did not make it. Any of the keys will do. */
export function transactionOfToken(token: string, keys: readonly string[]): string | null {
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

/** A new key is put in front of the old one, which goes a day later, when nobody calls it back any more. */
export const callbackKeys = z
  .string()
  .transform((text) => text.split(","))
  .refine((keys) => keys.every((key) => key.length >= 32 && key.length <= 512))
  .describe(
    "what callback addresses are signed with, 32 characters or more; several are separated by commas, the newest first",
  );
