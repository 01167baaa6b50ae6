/** One of the gateway's two entrances, and where its address and what it asks for are found. */
export interface Door {
  readonly name: string;
  readonly token: string;
  readonly env: { readonly url: string; readonly token: string };
  /** Its fields in `.local/environment.json`. */
  readonly local: { readonly url: string; readonly token: string };
}

export const operatorDoor: Door = {
  name: "operator API",
  token: "operator token",
  env: { url: "MALIPO_OPERATOR_URL", token: "MALIPO_OPERATOR_TOKEN" },
  local: { url: "operatorurl", token: "operatortoken" },
};

/** What a business itself uses: its secret is the token. */
export const businessDoor: Door = {
  name: "API",
  token: "business's secret",
  env: { url: "MALIPO_URL", token: "MALIPO_SECRET" },
  local: { url: "apiurl", token: "secret" },
};
