import { sandboxMerchants } from "@malipo/contracts";

export interface HttpResponse {
  readonly status: number;
  readonly type: string;
  readonly text: string;
  /** The body as an object; empty when it is not JSON. */
  readonly json: Readonly<Record<string, unknown>>;
}

export interface PushOverrides {
  readonly [field: string]: unknown;
}

const timestamp = "20261121101500";

export function passwordFor(merchant: { shortcode: string; passkey: string }): string {
  return Buffer.from(merchant.shortcode + merchant.passkey + timestamp).toString("base64");
}

export async function send(address: string, init: RequestInit = {}): Promise<HttpResponse> {
  const response = await fetch(address, init);
  const text = await response.text();
  return {
    status: response.status,
    type: response.headers.get("content-type") ?? "",
    text,
    json: parseObject(text),
  };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    return { ...(JSON.parse(text) as object) };
  } catch {
    return {};
  }
}

/**
 * A client of the simulator. It shares no code with the payment service or the simulator, so that the
 * tests find a mistake in either.
 */
export function merchantAt(url: string, callbackUrl: string) {
  const { paybill } = sandboxMerchants;
  let token = "";

  async function post(path: string, body: unknown): Promise<HttpResponse> {
    return send(url + path, {
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
    signIn: async (
      key: string = paybill.key,
      secret: string = paybill.secret,
    ): Promise<HttpResponse> => {
      const response = await send(`${url}/oauth/v1/generate?grant_type=client_credentials`, {
        headers: {
          authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString("base64")}`,
        },
      });
      token = String(response.json["access_token"]);
      return response;
    },
    useToken: (newToken: string) => {
      token = newToken;
    },
    pushBody: (phone: string, overrides: PushOverrides = {}) => ({
      ...signed,
      TransactionType: "CustomerPayBillOnline",
      Amount: 250,
      PartyA: Number(phone),
      PartyB: 174379,
      PhoneNumber: Number(phone),
      CallBackURL: callbackUrl,
      AccountReference: "INV-000001",
      TransactionDesc: "Internet",
      ...overrides,
    }),
    async push(phone: string, overrides: PushOverrides = {}): Promise<HttpResponse> {
      return post("/mpesa/stkpush/v1/processrequest", this.pushBody(phone, overrides));
    },
    query: async (checkoutRequestId: unknown): Promise<HttpResponse> =>
      post("/mpesa/stkpushquery/v1/query", { ...signed, CheckoutRequestID: checkoutRequestId }),
  };
}
