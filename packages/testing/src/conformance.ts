import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes } from "@malipo/contracts";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import formats from "ajv-formats";

/** The API reference, and the validators of its schemas. */
function openReference() {
  // The public reference, with the operators' routes added so that their answers are checked too.
  const document = buildOpenApiDocument(
    allRoutes
      .filter(({ audience }) => audience !== "page")
      .map((route) => ({ ...route, audience: "public" as const })),
    "http://localhost",
  );
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema(document, "reference");
  const paths = Object.entries(document.paths).map(([path, operations]) => ({
    path,
    operations,
    pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]*")}$`),
  }));
  const validators = new Map<string, ValidateFunction>();

  return {
    components: document.components,
    findPath: (pathname: string) => paths.find(({ pattern }) => pattern.test(pathname)),
    validatorAt: (...words: readonly string[]): ValidateFunction => {
      const pointer = words.map((word) => encodeURIComponent(word.replaceAll("/", "~1"))).join("/");
      const known = validators.get(pointer);
      if (known) return known;
      const validator = ajv.compile({ $ref: `reference#/${pointer}` });
      validators.set(pointer, validator);
      return validator;
    },
    describeErrors: ({ errors }: ValidateFunction): string =>
      ajv.errorsText(errors, { dataVar: "the answer" }),
  };
}

let opened: ReturnType<typeof openReference> | undefined;

/** Opened on first use: it takes 150 ms of CPU time, and most test files call no route. */
function reference(): ReturnType<typeof openReference> {
  return (opened ??= openReference());
}

/** The parts of an answer that the reference describes. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

/** Fails the running test when an answer differs from the API reference. */
export function expectConforming(
  method: string,
  url: string,
  { status, headers, body }: Answer,
): void {
  const { pathname } = new URL(url);
  const { findPath, validatorAt, describeErrors, components } = reference();
  const found = findPath(pathname);
  if (!found || method === "HEAD") return;
  const name = `${method} ${found.path} answered ${status}`;
  const operation = found.operations[method.toLowerCase()];
  // The listener of the other audience does not serve this path.
  if (!operation || body["code"] === "unknown_path") return expectNoOperation(name, status, body);

  const response = operation.responses[String(status)];
  if (!response)
    throw new Error(`${name}, a status that the reference does not list: ${text(body)}`);
  const where =
    "$ref" in response
      ? response.$ref.split("/").slice(1)
      : ["paths", found.path, method.toLowerCase(), "responses", String(status)];
  const validate = validatorAt(...where, "content", "application/json", "schema");
  if (!validate(body)) {
    const problems = describeErrors(validate);
    throw new Error(`${name}, which differs from the reference: ${problems}. ${text(body)}`);
  }
  if (found.path.startsWith("/operator/")) return;
  const promised = "$ref" in response ? components.responses[where[2] ?? ""] : response;
  const missing = Object.keys(promised?.headers ?? {}).filter(
    (header) => components.headers[header]?.required && !headers.has(header),
  );
  if (missing.length > 0) throw new Error(`${name} without ${missing.join(", ")}`);
}

function expectNoOperation(name: string, status: number, body: Record<string, unknown>): void {
  const { components, validatorAt } = reference();
  const shapes = Object.keys(components.schemas);
  const isFailure = shapes.some((shape) => validatorAt("components", "schemas", shape)(body));
  const isRefused =
    (status === 405 && body["code"] === "method_not_allowed") ||
    (status === 404 && body["code"] === "unknown_path");
  if (!isFailure || !isRefused) {
    throw new Error(`${name}, but the reference has no such operation: ${text(body)}`);
  }
}

function text(body: unknown): string {
  return JSON.stringify(body).slice(0, 500);
}
