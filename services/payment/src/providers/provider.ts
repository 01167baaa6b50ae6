/** How a business is paid: what it told us of its account with the provider. */
export interface ProviderAccount {
  readonly type: "paybill" | "till";
  /** What payers know: the paybill number, or the till. */
  readonly shortcode: string;
  /** Of a till: the store number that its requests are signed with. */
  readonly storenumber: string | null;
  readonly consumerkey: string;
  readonly consumersecret: string;
  readonly passkey: string;
}

/** What the payer is asked for. */
export interface Prompt {
  readonly shillings: number;
  readonly phone: string;
  readonly callbackUrl: string;
  /** What the payer reads; the provider's own bounds are kept by the translation. */
  readonly reference: string;
  readonly description: string;
}

export interface ProviderIds {
  readonly checkoutrequestid: string;
  readonly merchantrequestid: string;
}

/** What became of a request for a prompt; it never tells what became of the payment. */
export type PromptAnswer =
  | ({ readonly kind: "accepted"; readonly description: string } & ProviderIds)
  /** For good: the same request would be refused again. */
  | { readonly kind: "refused"; readonly code: string; readonly details: string }
  /** It surely reached no phone: the same request may be sent again. */
  | { readonly kind: "not sent"; readonly details: string }
  /** It may have reached the phone: never send it again. */
  | { readonly kind: "unknown"; readonly details: string };

/** What the provider knows of a prompt. */
export type StatusAnswer =
  | { readonly kind: "paid" }
  | { readonly kind: "declined"; readonly code: string }
  | { readonly kind: "pending" }
  | { readonly kind: "unanswered"; readonly details: string };

export type AccountTest =
  | { readonly kind: "works" }
  | { readonly kind: "refused"; readonly details: string }
  | { readonly kind: "unanswered"; readonly details: string };

export interface Provider {
  prompt(account: ProviderAccount, prompt: Prompt, patienceMs: number): Promise<PromptAnswer>;
  status(account: ProviderAccount, checkoutrequestid: string): Promise<StatusAnswer>;
  test(account: ProviderAccount): Promise<AccountTest>;
}
