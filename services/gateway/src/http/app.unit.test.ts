import { type Route, routes } from "@malipo/contracts";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { refuseOtherMethods } from "./app.ts";

it("a path with two methods answers 405 to all others and names both in Allow", async () => {
  const { getProduct, createProduct } = routes;
  const routesOfPath: readonly Route[] = [
    { ...getProduct, path: "/shared" },
    { ...createProduct, path: "/shared" },
  ];
  const app = fastify({ exposeHeadRoutes: false });
  for (const { method, path } of routesOfPath) {
    app.route({ method, url: path, handler: async () => `by ${method}` });
  }
  refuseOtherMethods(app, routesOfPath);
  for (const method of ["GET", "POST"] as const) {
    const { statusCode, body } = await app.inject({ method, url: "/shared" });
    expect([statusCode, body]).toEqual([200, `by ${method}`]);
  }
  for (const method of ["PUT", "PATCH", "DELETE", "OPTIONS"] as const) {
    const { statusCode, headers, body } = await app.inject({ method, url: "/shared" });
    expect([method, statusCode, headers["allow"]]).toEqual([method, 405, "GET, POST"]);
    expect(JSON.parse(body)).toMatchObject({ success: false, code: "method_not_allowed" });
  }
});
