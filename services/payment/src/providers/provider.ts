import type { Fault, Result } from "@malipo/core";
import type { ProviderAccount } from "../domain/payment-method.ts";
import type { CallbackFacts, PromptAnswer, StatusAnswer } from "../domain/transaction/outcome.ts";

/** The content of a prompt. */
export interface Prompt {
  readonly shillings: number;
  readonly phone: string;
  readonly callbackUrl: string;
  /** Shown to the payer. The adapter shortens it to what the provider accepts. */
  readonly reference: string;
  /** Shown to the payer. The adapter shortens it to what the provider accepts. */
  readonly description: string;
}

export type AccountTest =
  | { readonly kind: "works" }
  | { readonly kind: "refused"; readonly details: string }
  | { readonly kind: "unanswered"; readonly details: string };

/** The port to a mobile money provider. Its adapter answers in the words of the domain. */
export interface Provider {
  prompt(account: ProviderAccount, prompt: Prompt, timeoutMs: number): Promise<PromptAnswer>;
  status(account: ProviderAccount, checkoutrequestid: string): Promise<StatusAnswer>;
  /** Asks the provider whether it accepts the account's credentials. */
  test(account: ProviderAccount): Promise<AccountTest>;
  /** Finds mistakes in an account without asking the provider. */
  checkAccount(account: ProviderAccount): Result<void, Fault>;
  /** Null when the bytes are not a callback of a prompt. */
  readCallback(bytes: Uint8Array): CallbackFacts | null;
}
