import { Validator } from "@seriousme/openapi-schema-validator";
import { Ajv2020 } from "ajv/dist/2020.js";
import formats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { allRoutes, type Route, takesBody } from "@malipo/contracts";
import type { JsonSchema } from "../json-schema/json-schema.ts";
import { buildOpenApiDocument } from "./document.ts";
import type { OpenApiOperation } from "./types.ts";

const document = buildOpenApiDocument(allRoutes, "https://api.example");
const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");
const named = publicRoutes.map((route) => [`${route.method} ${route.path}`, route] as const);

function operationOf({ method, path }: Pick<Route, "method" | "path">): OpenApiOperation {
  const operation = document.paths[path.replaceAll(/:(\w+)/g, "{$1}")]?.[method.toLowerCase()];
  if (!operation) throw new Error(`${method} ${path} is not described`);
  return operation;
}

type Node = Readonly<Record<string, unknown>>;

/** Every object of the document with the JSON pointer to it. */
function* nodes(value: unknown = document, pointer = "#"): Generator<[string, Node]> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Node];
  for (const [name, child] of Object.entries(value)) {
    const word = name.replaceAll("~", "~0").replaceAll("/", "~1");
    yield* nodes(child, `${pointer}/${encodeURIComponent(word)}`);
  }
}

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, "document");

function problemsOf(pointer: string, value: unknown): unknown {
  const validate = ajv.compile({ $ref: `document${pointer}` });
  return validate(value) ? [] : { value, errors: validate.errors };
}

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const result = await new Validator().validate(JSON.parse(JSON.stringify(document)));
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  it("describes every public route and nothing else, each under a unique operation id", () => {
    const described = Object.entries(document.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = named.map(([name]) => name.replace(":id", "{id}"));
    expect(described.toSorted()).toEqual(expected.toSorted());
    const names = new Set(publicRoutes.map((route) => operationOf(route).operationId));
    expect(names.size).toBe(publicRoutes.length);
  });

  it("has no $ref to a missing component", () => {
    const pointers = new Set<unknown>([...nodes()].map(([pointer]) => pointer));
    const missing = [...nodes()].flatMap(([, { $ref }]) =>
      $ref === undefined || pointers.has($ref) ? [] : [$ref],
    );
    expect(missing).toEqual([]);
  });

  it("has a description for every resource, field and parameter", () => {
    for (const tag of document.tags) expect(tag).toHaveProperty("description");
    const undescribed = [...nodes()].filter(
      ([pointer, node]) =>
        /\/properties\/[^/]+$/.test(pointer) &&
        !pointer.endsWith("/success") &&
        !/\/properties\/(data|meta|pagination)$/.test(pointer) &&
        // A list of codes narrows a field that is described in the shared schema.
        !pointer.includes("/allOf/") &&
        node["const"] === undefined &&
        node["description"] === undefined,
    );
    expect(undescribed.map(([pointer]) => pointer)).toEqual([]);
    const parameters = publicRoutes.flatMap((route) => operationOf(route).parameters);
    const undescribedParameters = parameters.filter(
      (one) => "description" in one && one.description === "",
    );
    expect(undescribedParameters).toEqual([]);
  });
});

interface Example {
  /** The JSON pointer of the schema that must accept it. */
  readonly pointer: string;
  readonly value: unknown;
}

const examples = [...nodes()]
  // The contents of an example are not part of the document's structure.
  .filter(([pointer]) => !/\/examples?\//.test(pointer))
  .flatMap(([pointer, node]) => examplesOf(pointer, node));

function examplesOf(pointer: string, { example, examples: several }: Node): Example[] {
  const one = example === undefined ? [] : [{ pointer: `${pointer}/schema`, value: example }];
  if (Array.isArray(several)) return [...one, ...several.map((value) => ({ pointer, value }))];
  const named = Object.values((several ?? {}) as Record<string, Node>);
  return [...one, ...named.map(({ value }) => ({ pointer: `${pointer}/schema`, value }))];
}

/** A path or a component: the first two steps of the pointer. */
function placeOf({ pointer }: Example): string {
  return pointer.split("/").slice(1, 3).join(" ");
}

describe("the examples of the OpenAPI document", () => {
  it("are more than 100", () => {
    expect(examples.length).toBeGreaterThan(100);
  });

  it.each(Object.entries(Object.groupBy(examples, placeOf)))(
    "of %s match their schemas",
    (_place, ofPlace) => {
      for (const { pointer, value } of ofPlace ?? []) {
        expect(problemsOf(pointer, value)).toEqual([]);
      }
    },
  );

  it.each(named)(
    "%s accepts its request example, and its reply example matches the reply schema",
    (_name, route) => {
      const { requestBody, responses } = operationOf(route);
      const sent = requestBody?.content["application/json"].example;
      expect(sent !== undefined).toBe(takesBody(route));
      expect(route.body.safeParse(sent)).toMatchObject({ success: true });
      const success = responses[route.reply.status];
      if (!success || "$ref" in success) throw new Error("no success response");
      const { data } = success.content["application/json"].example as { data: unknown };
      expect(route.reply.data.safeParse(data)).toMatchObject({ success: true });
    },
  );
});

describe("an operation of the OpenAPI document", () => {
  const list = { method: "GET", path: "/business/product/list" } as const;
  const update = { method: "PATCH", path: "/business/customer/update/:id" } as const;

  it("shows query parameters that mean numbers as integers", () => {
    expect(operationOf(list).parameters).toMatchObject([
      { name: "page", required: false, schema: { type: "integer", minimum: 1, default: 1 } },
      { name: "limit", required: false, schema: { type: "integer", minimum: 1, default: 10 } },
      { name: "search", required: false, schema: { type: "string", maxLength: 100 } },
      { $ref: "#/components/parameters/RequestId" },
    ]);
    expect(JSON.stringify(operationOf(list).parameters)).not.toContain("pattern");
  });

  it("of an update has the path id, the idempotency key, and the body fields that may be sent", () => {
    const { parameters, requestBody } = operationOf(update);
    expect(parameters).toMatchObject([
      { name: "id", in: "path", required: true },
      { $ref: "#/components/parameters/IdempotencyKey" },
      { $ref: "#/components/parameters/RequestId" },
    ]);
    const schema: JsonSchema | undefined = requestBody?.content["application/json"].schema;
    expect(Object.keys(schema?.properties ?? {})).toEqual(["name", "email", "phone"]);
  });

  it.each([
    [list, "200 400 401 403 429 500 503"],
    [
      { method: "GET", path: "/business/product/details/:id" } as const,
      "200 400 401 403 404 429 500 503",
    ],
    [
      { method: "POST", path: "/business/product/create" } as const,
      "201 400 401 403 409 413 415 422 429 500 503 504",
    ],
    [update, "200 400 401 403 404 409 413 415 422 429 500 503 504"],
  ])("%o answers %s", (route, statuses) => {
    expect(Object.keys(operationOf(route).responses).join(" ")).toBe(statuses);
  });

  it("lists the codes of each failure, and requires retry_after for 429", () => {
    const tooMany = "#/components/responses/Refusal429/content/application~1json/schema";
    const body = { success: false, error: "Slower", code: "rate_limited", requestid: "req_12345" };
    expect(problemsOf(tooMany, { ...body, retry_after: 3 })).toEqual([]);
    expect(problemsOf(tooMany, body)).not.toEqual([]);
    expect(problemsOf(tooMany, { ...body, retry_after: 3, code: "conflict" })).not.toEqual([]);
    expect(problemsOf(tooMany, { ...body, retry_after: 3, more: true })).not.toEqual([]);
  });
});
