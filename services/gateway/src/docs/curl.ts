import type { JsonSchema, OpenApiOperation, OpenApiParameter } from "@malipo/contract-tools";

export interface CurlRequest {
  readonly url: string;
  readonly method: string;
  readonly operation: OpenApiOperation;
  readonly parameters: readonly OpenApiParameter[];
}

/** A command that runs as it is, after MALIPO_SECRET is set and the ids are replaced. */
export function curlCommand({ url, method, operation, parameters }: CurlRequest): string {
  const body = operation.requestBody?.content["application/json"].example;
  const key = parameters.find(({ name }) => name === "Idempotency-Key");
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quote(exampleUrl(url, parameters))}`,
    `-H "Authorization: $MALIPO_SECRET"`,
    ...(key ? [`-H ${quote(`Idempotency-Key: ${exampleText(key.schema)}`)}`] : []),
    ...(body === undefined
      ? []
      : [`-H "Content-Type: application/json"`, `-d ${quote(JSON.stringify(body, null, 2))}`]),
  ].join(" \\\n  ");
}

function exampleUrl(url: string, parameters: readonly OpenApiParameter[]): string {
  const address = parameters
    .filter((parameter) => parameter.in === "path")
    .reduce((filled, { name, schema }) => filled.replace(`{${name}}`, exampleText(schema)), url);
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

/** Quotes the text if a shell would interpret it. */
function quote(text: string): string {
  return /^[\w:/.@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
