import { sandboxMerchants } from "@malipo/contracts";
import type { PaymentConfig } from "../config.ts";
import type { ProviderAccount } from "../domain/payment-method.ts";
import type { PaymentMethods } from "../store/payment-methods.ts";
import type { ProviderSettings } from "../store/provider-settings.ts";

/** An account, and the settings by which it is found again. */
interface Account {
  readonly settingsid: string | null;
  readonly account: ProviderAccount;
}

export interface Accounts {
  /** The account for new payments; null when the business has no payment method. */
  forNewPayment(businessid: string): Promise<Account | null>;
  /** The account that an earlier payment used. */
  forSettings(settingsid: string | null): Promise<ProviderAccount | null>;
}

const { type, shortcode, passkey, key, secret } = sandboxMerchants.paybill;

/** The simulator's paybill, which every business in the sandbox may use. */
const sandboxAccount: ProviderAccount = {
  type,
  shortcode,
  storenumber: null,
  consumerkey: key,
  consumersecret: secret,
  passkey,
};

export function openAccounts(
  methods: PaymentMethods,
  settings: ProviderSettings,
  mode: PaymentConfig["MODE"],
): Accounts {
  // In the sandbox a business can take payments before it has a payment method.
  const fallback = mode === "sandbox" ? sandboxAccount : null;
  return {
    async forNewPayment(businessid) {
      const method = await methods.findDefault(businessid);
      if (!method) return fallback && { settingsid: null, account: fallback };
      const account = await settings.find(method.settingsid);
      return account && { settingsid: method.settingsid, account };
    },
    forSettings: async (settingsid) => (settingsid === null ? fallback : settings.find(settingsid)),
  };
}
