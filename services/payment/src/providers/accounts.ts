import type { PaymentConfig } from "../config.ts";
import type { PaymentMethods } from "../store/payment-methods.ts";
import type { ProviderSettings } from "../store/provider-settings.ts";
import type { ProviderAccount } from "./provider.ts";
import { sandboxAccount } from "./sandbox-account.ts";

/** What a payment is made with, and by which it is found again. */
interface Account {
  readonly settingsid: string | null;
  readonly account: ProviderAccount;
}

export interface Accounts {
  /** What new payments are taken with; null when the business has set up nothing. */
  inUse(businessid: string): Promise<Account | null>;
  /** What an earlier payment was made with. */
  of(settingsid: string | null): Promise<ProviderAccount | null>;
}

export function openAccounts(
  methods: PaymentMethods,
  settings: ProviderSettings,
  mode: PaymentConfig["MODE"],
): Accounts {
  // In the sandbox every business can take payments from the start.
  const usual = mode === "sandbox" ? sandboxAccount : null;
  return {
    async inUse(businessid) {
      const method = await methods.inUse(businessid);
      if (!method) return usual && { settingsid: null, account: usual };
      const account = await settings.find(method.settingsid);
      return account && { settingsid: method.settingsid, account };
    },
    of: async (settingsid) => (settingsid === null ? usual : settings.find(settingsid)),
  };
}
