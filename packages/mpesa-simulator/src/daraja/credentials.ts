import type { SandboxMerchant } from "@malipo/contracts";
import { minuteMs } from "@malipo/core";
import { readStamp } from "./nairobi-time.ts";
import type { SignedRequest } from "./requests.ts";
import type { ReplyName } from "./replies.ts";

export function passwordOf(shortcode: string, passkey: string, timestamp: string): string {
  return Buffer.from(shortcode + passkey + timestamp).toString("base64");
}

/** The merchant a signed request is from, or why it is from none. */
export function merchantOf(
  request: SignedRequest,
  appKey: string,
  merchants: readonly SandboxMerchant[],
): { readonly merchant: SandboxMerchant } | { readonly refusal: ReplyName } {
  const merchant = merchants.find(({ shortcode }) => shortcode === request.BusinessShortCode);
  if (!merchant) return { refusal: "unknownMerchant" };
  const { shortcode, passkey } = merchant;
  const genuine =
    merchant.key === appKey &&
    request.Password === passwordOf(shortcode, passkey, request.Timestamp);
  return genuine ? { merchant } : { refusal: "wrongCredentials" };
}

/** Zero minutes: any moment will do, as there are clients in use that send another zone's time. */
export function isTimely(stamp: string, now: Date, skewMinutes: number): boolean {
  if (skewMinutes === 0) return true;
  const at = readStamp(stamp);
  return at !== null && Math.abs(at.getTime() - now.getTime()) <= skewMinutes * minuteMs;
}
