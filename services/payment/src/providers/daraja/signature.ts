import { addMs, hourMs } from "@malipo/core";
import type { ProviderAccount } from "../provider.ts";

/** Kenya knows no summer time. */
const nairobiAheadMs = 3 * hourMs;

/** YYYYMMDDHHmmss, as clocks in Nairobi show it. */
export function nairobiTimestamp(now: Date): string {
  return addMs(now, nairobiAheadMs).toISOString().replaceAll(/\D/g, "").slice(0, 14);
}

/** The number that signs: a till's requests are signed by its store. */
function signingNumber({ type, shortcode, storenumber }: ProviderAccount): string {
  return type === "till" ? (storenumber ?? shortcode) : shortcode;
}

/** The three fields that say who asks; password and timestamp belong together. */
export function signatureOf(account: ProviderAccount, now: Date) {
  const number = signingNumber(account);
  const timestamp = nairobiTimestamp(now);
  return {
    BusinessShortCode: Number(number),
    Password: Buffer.from(number + account.passkey + timestamp).toString("base64"),
    Timestamp: timestamp,
  };
}
