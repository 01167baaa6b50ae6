import { type Route, routes } from "@malipo/contracts";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import { refuseOtherMethods } from "./app.ts";

it("lets two methods share a path, and names both to every other one", async () => {
  const { getProduct, createProduct } = routes;
  const ofPath: readonly Route[] = [
    { ...getProduct, path: "/shared" },
    { ...createProduct, path: "/shared" },
  ];
  const app = fastify({ exposeHeadRoutes: false });
  for (const { method, path } of ofPath) {
    app.route({ method, url: path, handler: async () => `by ${method}` });
  }
  refuseOtherMethods(app, ofPath);
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
