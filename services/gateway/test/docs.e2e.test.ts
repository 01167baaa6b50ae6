import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes } from "@malipo/contracts";
import { call, startSystem, type TestSystem, useSharedServers } from "@malipo/testing";
import { afterAll, beforeAll, expect, it } from "vitest";

const servers = useSharedServers();
let system: TestSystem;

beforeAll(async () => {
  system = await startSystem(servers, []);
});
afterAll(() => system.stop());

it("/openapi.json and /docs are public and have the same operations", async () => {
  const { status, body } = await call(`${system.apiUrl}/openapi.json`, "GET", undefined);
  expect(status).toBe(200);
  const { servers: _ours, ...expected } = buildOpenApiDocument(allRoutes, "http://localhost");
  expect(body).toMatchObject(JSON.parse(JSON.stringify(expected)));

  const page = await call(`${system.apiUrl}/docs`, "GET", undefined);
  expect(page.status).toBe(200);
  expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(page.headers.get("content-security-policy")).toMatch(/^default-src 'none'; /);
  for (const path of Object.keys(expected.paths)) expect(page.text).toContain(path);
});
