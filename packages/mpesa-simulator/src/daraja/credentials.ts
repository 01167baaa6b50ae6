import type { SandboxMerchant } from "@malipo/contracts";
import { minuteMs } from "@malipo/core";
import { parseNairobiTimestamp } from "./nairobi-time.ts";
import type { ReplyName } from "./replies.ts";
import type { SignedRequest } from "./requests.ts";

export function buildPassword(shortcode: string, passkey: string, timestamp: string): string {
  return Buffer.from(shortcode + passkey + timestamp).toString("base64");
}

/** Finds the merchant that signed the request, or the reply that rejects it. */
export function findMerchant(
  request: SignedRequest,
  applicationKey: string,
  merchants: readonly SandboxMerchant[],
): { readonly merchant: SandboxMerchant } | { readonly rejection: ReplyName } {
  const merchant = merchants.find(({ shortcode }) => shortcode === request.BusinessShortCode);
  if (!merchant) return { rejection: "unknownMerchant" };
  const { shortcode, passkey } = merchant;
  const isGenuine =
    merchant.key === applicationKey &&
    request.Password === buildPassword(shortcode, passkey, request.Timestamp);
  return isGenuine ? { merchant } : { rejection: "wrongCredentials" };
}

/** A skew of 0 accepts every timestamp, because some clients send the time of another zone. */
export function isTimely(timestamp: string, now: Date, skewMinutes: number): boolean {
  if (skewMinutes === 0) return true;
  const at = parseNairobiTimestamp(timestamp);
  return at !== null && Math.abs(at.getTime() - now.getTime()) <= skewMinutes * minuteMs;
}
