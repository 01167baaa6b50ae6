import type { PaymentMethodView } from "@malipo/contracts";
import { err, type Fault, fault, ok, type Result } from "@malipo/core";
import type { ProviderAccount } from "../providers/provider.ts";

/** A business's way of taking money. Its secrets are in its settings, which never change. */
export interface PaymentMethod {
  readonly id: string;
  readonly businessid: string;
  readonly type: ProviderAccount["type"];
  readonly shortcode: string;
  readonly storenumber: string | null;
  /** The settings that new payments are made with. */
  readonly settingsid: string;
  /** The method that was chosen last is the one in use. */
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

/** The longest time ago: whatever is chosen comes after it. */
export const neverChosen = new Date(0);

export function changeAccount(account: ProviderAccount, change: MethodChange): ProviderAccount {
  return {
    type: account.type,
    shortcode: change.shortcode ?? account.shortcode,
    storenumber: change.storenumber ?? account.storenumber,
    consumerkey: change.consumerkey ?? account.consumerkey,
    consumersecret: change.consumersecret ?? account.consumersecret,
    passkey: change.passkey ?? account.passkey,
  };
}

/** A password that is sent in place of the passkey is refused by the provider much later. */
export function judgePasskey({
  passkey,
  shortcode,
  storenumber,
}: ProviderAccount): Result<void, Fault> {
  const decoded = Buffer.from(passkey, "base64").toString("latin1");
  const isPassword = [shortcode, storenumber].some(
    (number) => number !== null && decoded.startsWith(number) && /\d{14}$/.test(decoded),
  );
  if (!isPassword) return ok(undefined);
  const problem = "is a ready-made password; send the passkey itself";
  const fields = [{ path: "passkey", problem }];
  return err(fault("invalid_request", { text: `passkey ${problem}`, fields }));
}

export function viewMethod(method: PaymentMethod, inUse: string | null): PaymentMethodView {
  return {
    _id: method.id,
    type: method.type,
    shortcode: method.shortcode,
    storenumber: method.storenumber,
    default: method.id === inUse,
    createdat: method.createdat.toISOString(),
    updatedat: method.updatedat.toISOString(),
  };
}
