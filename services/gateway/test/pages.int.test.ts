import { openService, platformConfig, readConfig, serveRoutes } from "@malipo/platform";
import { environmentOn, inOwnNamespace, settableClock, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import { servePages } from "../src/http/pages/serve-pages.ts";
import { createAddressLimiter } from "../src/limiters/address-limiter.ts";
import { cardHandlers } from "./card-handlers.ts";
import { cardRoutes, pageRoutes } from "./page-contract.ts";

const servers = useSharedServers();

/** A gateway with test pages, and the service that renders them. */
async function pages({ visits = 100, unknownCodes = 100, isServed = true } = {}) {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  if (isServed) {
    await serveRoutes(service, cardHandlers, undefined, cardRoutes);
  }
  const pipeline = { beforeBody: [], afterBody: [], beforeAnswer: [], beforeAnyAnswer: [] };
  const app = buildApp(service, "page", pipeline, { trustedProxies: ["127.0.0.1"] });
  const clock = settableClock(new Date("2026-11-21T12:00:00Z"));
  const limiter = (limit: number) => createAddressLimiter(clock.now, limit);
  servePages(
    app,
    service,
    { visits: limiter(visits), unknownCodes: limiter(unknownCodes) },
    pageRoutes,
  );
  const get = async (url: string, headers: Record<string, string> = {}) =>
    app.inject({ url, headers });
  return { app, get, clock };
}

const post = async (headers: Record<string, string>) => {
  const { app } = await pages();
  const { statusCode, body } = await app.inject({
    url: "/card/asha/sign",
    method: "POST",
    headers: { host: "malipo.example", "content-type": "application/json", ...headers },
    payload: { name: "Asha" },
  });
  return { status: statusCode, body: JSON.parse(body) };
};

const from = (address: string) => ({ "x-forwarded-for": address });

describe("a page", () => {
  it("has the service's bytes, and headers that restrict the browser", async () => {
    const { get } = await pages();
    const answer = await get("/card/asha");
    expect([answer.statusCode, answer.body]).toEqual([200, "<p>Dear asha, jambo ✓</p>"]);
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; img-src data:",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "x-frame-options": "DENY",
      "x-robots-tag": "noindex",
      "cache-control": "private, no-cache",
      "content-disposition": 'inline; filename="asha.html"',
      etag: '"asha-1"',
      "x-request-id": expect.any(String),
    });
    const bare = await get("/card/bare");
    expect(bare.headers["content-security-policy"]).toBe(
      "default-src 'none'; frame-ancestors 'none'",
    );
    expect(bare.headers).not.toHaveProperty("etag");
  });

  it("answers 304 when the client has the same version", async () => {
    const { get } = await pages();
    const same = await get("/card/asha", { "if-none-match": '"asha-1"' });
    expect([same.statusCode, same.body, same.headers["etag"]]).toEqual([304, "", '"asha-1"']);
    const other = await get("/card/asha", { "if-none-match": '"asha-0"' });
    expect(other.statusCode).toBe(200);
  });

  it("can be an image, sent byte for byte", async () => {
    const { get } = await pages();
    const { rawPayload, headers } = await get("/card/asha.svg");
    expect([...rawPayload]).toEqual([0, 0xff, 0x80]);
    expect(headers).toMatchObject({
      "content-type": "image/svg+xml",
      "cache-control": "public, max-age=60",
    });
  });

  it.each([
    ["/card/none", 404, "We cannot find this page"],
    ["/card/NONE", 404, "We cannot find this page"],
    ["/card/x%2F..%2Fy", 404, "We cannot find this page"],
    ["/card/oops", 500, "Something went wrong"],
  ])("%s is refused with %d and an HTML page", async (path, status, title) => {
    const { get } = await pages();
    const answer = await get(path, { "x-request-id": "visit-2026" });
    expect(answer.statusCode).toBe(status);
    expect(answer.body).toContain(`<h1>${title}</h1>`);
    expect(answer.body).toContain("visit-2026");
    expect(answer.body).not.toContain("for the log only");
    expect(answer.headers).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": expect.stringContaining("default-src 'none'; style-src 'sha256-"),
      "cache-control": "no-store",
    });
  });

  it("is refused with an HTML page when its service is away, and with 405 for other methods", async () => {
    const { get, app } = await pages({ isServed: false });
    const away = await get("/card/asha");
    expect([away.statusCode, away.headers["retry-after"]]).toEqual([503, "1"]);
    expect(away.body).toContain("Not available at the moment");
    const posted = await app.inject({ url: "/card/asha", method: "POST" });
    expect([posted.statusCode, posted.headers["allow"]]).toEqual([405, "GET"]);
    expect(posted.body).toContain("<h1>");
  });
});

describe("a visitor of pages", () => {
  it("is limited by address until the minute ends", async () => {
    const { get, clock } = await pages({ visits: 2 });
    const statuses = async (address: string) => [
      (await get("/card/asha", from(address))).statusCode,
      (await get("/card/asha", from(address))).statusCode,
      (await get("/card/asha", from(address))).statusCode,
    ];
    expect(await statuses("10.0.0.1")).toEqual([200, 200, 429]);
    expect(await statuses("10.0.0.2")).toEqual([200, 200, 429]);
    clock.advance(60_000);
    const answer = await get("/card/asha", from("10.0.0.1"));
    expect(answer.statusCode).toBe(200);
    expect(answer.headers).toMatchObject({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "1",
    });
  });

  it("gets no page until the minute ends after too many unknown codes", async () => {
    const { get, clock } = await pages({ unknownCodes: 3 });
    for (const code of ["none", "NOPE", "none"]) {
      expect((await get(`/card/${code}`, from("10.0.0.1"))).statusCode).toBe(404);
    }
    const refused = await get("/card/asha", from("10.0.0.1"));
    expect(refused.statusCode).toBe(429);
    expect(refused.body).toContain("Too many requests");
    expect((await get("/card/asha", from("10.0.0.2"))).statusCode).toBe(200);
    clock.advance(60_000);
    expect((await get("/card/asha", from("10.0.0.1"))).statusCode).toBe(200);
  });
});

describe("a request that a page sends", () => {
  it("is accepted from the same host and answered in JSON", async () => {
    expect(await post({ origin: "https://malipo.example" })).toEqual({
      status: 200,
      body: { success: true, data: { name: "Asha" } },
    });
  });

  it.each([{}, { origin: "https://elsewhere.example" }, { origin: "null" }, { origin: "malipo" }])(
    "is refused with 403 when its headers are %j",
    async (headers) => {
      const { status, body } = await post(headers);
      expect([status, body.code]).toEqual([403, "foreign_origin"]);
    },
  );
});
