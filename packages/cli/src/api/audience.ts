/** One of the gateway's two APIs, and where its address and token are configured. */
export interface Audience {
  readonly apiName: string;
  readonly tokenName: string;
  readonly env: { readonly url: string; readonly token: string };
  /** The names of its fields in `.local/environment.json`. */
  readonly localFields: { readonly url: string; readonly token: string };
}

export const operatorAudience: Audience = {
  apiName: "operator API",
  tokenName: "operator token",
  env: { url: "MALIPO_OPERATOR_URL", token: "MALIPO_OPERATOR_TOKEN" },
  localFields: { url: "operatorurl", token: "operatortoken" },
};

/** The API that a business calls, with its secret as the token. */
export const businessAudience: Audience = {
  apiName: "API",
  tokenName: "business's secret",
  env: { url: "MALIPO_URL", token: "MALIPO_SECRET" },
  localFields: { url: "apiurl", token: "secret" },
};
