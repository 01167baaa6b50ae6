import { sandboxMerchants } from "@malipo/contracts";
import type { ProviderAccount } from "./provider.ts";

const { type, shortcode, passkey, key, secret } = sandboxMerchants.paybill;

/** The paybill of the simulator, which anybody may use. */
export const sandboxAccount: ProviderAccount = {
  type,
  shortcode,
  storenumber: null,
  consumerkey: key,
  consumersecret: secret,
  passkey,
};
