import { describe, expect, it } from "vitest";
import { z } from "zod";
import { openApiDocument } from "./openapi.ts";
import { takesBody } from "./route.ts";
import { allRoutes } from "./routes.ts";

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe("the route table", () => {
  it("names every method and path once, and every verb of a service once", () => {
    expect(repeated(allRoutes.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
    expect(repeated(allRoutes.map(({ service, verb }) => `${service} ${verb}`))).toEqual([]);
  });

  it.each(allRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s is whole",
    (_name, route) => {
      const named = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(route.params)).toEqual(named);
      expect(route.verb).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(route.summary).not.toBe("");
      expect(route.method === "GET" && takesBody(route)).toBe(false);
      expect(route.reply.status).toBe(/\/(create|issue)(\/|$)/.test(route.path) ? 201 : 200);
      expect(route.path.startsWith("/operator/")).toBe(route.audience === "operator");
      const isSubscription = /^\/business\/subscription(-plan)?\//.test(route.path);
      expect(route.errorField).toBe(isSubscription ? "message" : "error");
    },
  );

  it("pages every list", () => {
    for (const route of allRoutes.filter(({ path }) => /\/list(\/|$)/.test(path))) {
      expect(route.reply.paging).toBeDefined();
    }
  });
});

const operationShape = z.object({
  operationId: z.string(),
  parameters: z.array(z.object({ name: z.string(), in: z.enum(["path", "query"]) })),
  requestBody: z.unknown().optional(),
});

describe("the OpenAPI document", () => {
  const document = openApiDocument(allRoutes, "https://api.example");
  const paths = z.record(z.string(), z.record(z.string(), operationShape)).parse(document["paths"]);

  it("describes every public route and nothing else", () => {
    const described = Object.entries(paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const expected = allRoutes
      .filter(({ audience }) => audience === "public")
      .map(({ method, path }) => `${method} ${path.replace(":id", "{id}")}`);
    expect(described.toSorted()).toEqual(expected.toSorted());
  });

  it("knows a list's query and a change's path and body", () => {
    const list = paths["/business/product/list"]?.["get"];
    expect(list?.parameters.map(({ name }) => name)).toEqual(["page", "limit"]);
    const update = paths["/business/customer/update/{id}"]?.["patch"];
    expect(update?.parameters).toMatchObject([{ name: "id", in: "path" }]);
    expect(update?.requestBody).toMatchObject({
      content: { "application/json": { schema: { properties: { name: { type: "string" } } } } },
    });
    expect(JSON.stringify(update?.requestBody)).not.toContain("createdat");
  });
});
