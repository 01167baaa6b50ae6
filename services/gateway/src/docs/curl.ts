import type { JsonSchema, OpenApiOperation, OpenApiParameter } from "@malipo/contract-tools";

export interface Call {
  readonly url: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  readonly parameters: readonly OpenApiParameter[];
}

/** A command that works as it stands, once MALIPO_SECRET is set and identifiers are your own. */
export function curlCommand({ url, method, operation, parameters }: Call): string {
  const body = operation.requestBody?.content["application/json"].example;
  const key = parameters.find(({ name }) => name === "Idempotency-Key");
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(addressOf(url, parameters))}`,
    `-H "Authorization: $MALIPO_SECRET"`,
    ...(key ? [`-H ${quoted(`Idempotency-Key: ${exampleText(key.schema)}`)}`] : []),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d ${quoted(JSON.stringify(body, null, 2))}`]),
  ].join(" \\\n  ");
}

function addressOf(url: string, parameters: readonly OpenApiParameter[]): string {
  const address = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce((so, { name, schema }) => so.replace(`{${name}}`, exampleText(schema)), url);
  const query = parameters
    .filter((parameter) => parameter.in === "query")
    .flatMap(({ name, schema }) => {
      const value = exampleText(schema);
      return value === "" ? [] : [`${name}=${encodeURIComponent(value)}`];
    });
  return query.length === 0 ? address : `${address}?${query.join("&")}`;
}

function exampleText({ examples, default: fallback }: JsonSchema): string {
  const value = examples?.[0] ?? fallback;
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Only what a shell would read otherwise needs quotes. */
function quoted(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
