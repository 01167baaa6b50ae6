/** A business that receives money in the sandbox. The simulator accepts requests from these only. */
export interface SandboxMerchant {
  readonly name: string;
  readonly type: "paybill" | "till";
  /** The paybill number; for a till its store number. */
  readonly shortcode: string;
  /** The account that receives the money: the paybill number again, or the till. */
  readonly receiver: string;
  readonly passkey: string;
  readonly key: string;
  readonly secret: string;
}

/** Published by Safaricom for all sandboxes. */
const publicPasskey = "bfb279f9aa9bdbcf158e97dd71a467cd2e0c893059b10f78e6b72ada1ed2c919";

export const sandboxMerchants = {
  paybill: {
    name: "Duka la Mfano",
    type: "paybill",
    shortcode: "174379",
    receiver: "174379",
    passkey: publicPasskey,
    key: "sandbox-paybill-key",
    secret: "sandbox-paybill-secret",
  },
  till: {
    name: "Kioski cha Mfano",
    type: "till",
    shortcode: "600980",
    receiver: "5500980",
    passkey: publicPasskey,
    key: "sandbox-till-key",
    secret: "sandbox-till-secret",
  },
} as const satisfies Record<SandboxMerchant["type"], SandboxMerchant>;
