import { describe, expect, it } from "vitest";
import { takesBody } from "../definition/operation.ts";
import { allRoutes } from "./routes.ts";

function repeated(names: readonly string[]): string[] {
  return names.filter((name, index) => names.indexOf(name) !== index);
}

describe("the route table", () => {
  it("has no method and path twice, and no verb of a service twice", () => {
    expect(repeated(allRoutes.map(({ method, path }) => `${method} ${path}`))).toEqual([]);
    expect(repeated(allRoutes.map(({ service, verb }) => `${service} ${verb}`))).toEqual([]);
  });

  it.each(allRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s has a verb, a summary, all path parameters, and the status and error field of its kind",
    (_name, route) => {
      const parameters = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name);
      expect(Object.keys(route.params)).toEqual(parameters);
      expect(route.verb).toMatch(/^[a-z]+(-[a-z]+)*$/);
      expect(route.summary).not.toBe("");
      expect(route.method === "GET" && takesBody(route)).toBe(false);
      expect(route.reply.status).toBe(/\/(create|issue)(\/|$)/.test(route.path) ? 201 : 200);
      expect(route.path.startsWith("/operator/")).toBe(route.audience === "operator");
      const isSubscription = /^\/business\/subscription(-plan)?\//.test(route.path);
      expect(route.errorField).toBe(isSubscription ? "message" : "error");
    },
  );

  it("declares a paging object for every list", () => {
    for (const route of allRoutes.filter(({ path }) => /\/list(\/|$)/.test(path))) {
      expect(route.reply.paging).toBeDefined();
    }
  });
});
