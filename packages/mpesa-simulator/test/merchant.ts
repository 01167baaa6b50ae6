import { sandboxMerchants } from "@malipo/contracts";

export interface Heard {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** Empty when the answer was no JSON object. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface PushOverrides {
  readonly [field: string]: unknown;
}

const timestamp = "20261121101500";

export function passwordFor(merchant: { shortcode: string; passkey: string }): string {
  return Buffer.from(merchant.shortcode + merchant.passkey + timestamp).toString("base64");
}

export async function hear(address: string, init: RequestInit = {}): Promise<Heard> {
  const response = await fetch(address, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    text,
    json: objectIn(text),
  };
}

function objectIn(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

/** A merchant's side of the wire, written down once more so that a mistake is not made twice. */
export function merchantAt(url: string, callbackUrl: string) {
  const { paybill } = sandboxMerchants;
  let token = "";

  async function post(path: string, body: unknown): Promise<Heard> {
    return hear(url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  }

  const signed = {
    BusinessShortCode: 174379,
    Password: passwordFor(paybill),
    Timestamp: timestamp,
  };

  return {
    post,
    signIn: async (key: string = paybill.key, secret: string = paybill.secret): Promise<Heard> => {
      const heard = await hear(`${url}/oauth/v1/generate?grant_type=client_credentials`, {
        headers: {
          authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`,
        },
      });
      token = String(heard.json["access_token"]);
      return heard;
    },
    useToken: (other: string) => {
      token = other;
    },
    pushBody: (phone: string, different: PushOverrides = {}) => ({
      ...signed,
      TransactionType: "CustomerPayBillOnline",
      Amount: 250,
      PartyA: Number(phone),
      PartyB: 174379,
      PhoneNumber: Number(phone),
      CallBackURL: callbackUrl,
      AccountReference: "INV-000001",
      TransactionDesc: "Internet",
      ...different,
    }),
    async push(phone: string, different: PushOverrides = {}): Promise<Heard> {
      return post("/mpesa/stkpush/v1/processrequest", this.pushBody(phone, different));
    },
    query: async (checkoutRequestId: unknown): Promise<Heard> =>
      post("/mpesa/stkpushquery/v1/query", { ...signed, CheckoutRequestID: checkoutRequestId }),
  };
}
