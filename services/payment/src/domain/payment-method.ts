import type { PaymentMethodView } from "@malipo/contracts";

/** A business's account with the provider, as the business entered it. */
export interface ProviderAccount {
  readonly type: "paybill" | "till";
  /** The number that payers know: the paybill number, or the till number. */
  readonly shortcode: string;
  /** A till's store number, which signs its requests. */
  readonly storenumber: string | null;
  readonly consumerkey: string;
  readonly consumersecret: string;
  readonly passkey: string;
}

/** A business's way of taking money. Its secrets are in its provider settings, which never change. */
export interface PaymentMethod {
  readonly id: string;
  readonly businessid: string;
  readonly type: ProviderAccount["type"];
  readonly shortcode: string;
  readonly storenumber: string | null;
  /** The provider settings that new payments use. */
  readonly settingsid: string;
  /** When it became the default. The method with the newest date is the default. */
  readonly chosenat: Date;
  readonly deletedat: Date | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface MethodChange {
  readonly shortcode?: string | undefined;
  readonly storenumber?: string | undefined;
  readonly consumerkey?: string | undefined;
  readonly consumersecret?: string | undefined;
  readonly passkey?: string | undefined;
  readonly default?: true | undefined;
}

/** Older than any choice. */
export const neverChosen = new Date(0);

export function mergeAccount(account: ProviderAccount, change: MethodChange): ProviderAccount {
  return {
    type: account.type,
    shortcode: change.shortcode ?? account.shortcode,
    storenumber: change.storenumber ?? account.storenumber,
    consumerkey: change.consumerkey ?? account.consumerkey,
    consumersecret: change.consumersecret ?? account.consumersecret,
    passkey: change.passkey ?? account.passkey,
  };
}

export function viewMethod(method: PaymentMethod, defaultId: string | null): PaymentMethodView {
  return {
    _id: method.id,
    type: method.type,
    shortcode: method.shortcode,
    storenumber: method.storenumber,
    default: method.id === defaultId,
    createdat: method.createdat.toISOString(),
    updatedat: method.updatedat.toISOString(),
  };
}
