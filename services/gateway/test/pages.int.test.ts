import { openService, platformConfig, readConfig, serveRoutes } from "@malipo/platform";
import { environmentOn, inOwnNamespace, settableClock, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildApp } from "../src/http/app.ts";
import { servePages } from "../src/http/pages/serve-pages.ts";
import { createAddressLimiter } from "../src/rate-limits/address-limiter.ts";
import { cardHandlers } from "./card-handlers.ts";
import { cardRoutes, pageRoutes } from "./page-contract.ts";

const servers = useSharedServers();

/** A gateway with pages of the tests' own, and the service that makes them. */
async function pages({ visits = 100, unknown = 100, served = true } = {}) {
  const config = readConfig(platformConfig, environmentOn(inOwnNamespace(servers)));
  const service = await openService("gateway", config, {
    clock: () => new Date(),
    random: Math.random,
  });
  onTestFinished(() => service.shutdown.begin("the test is over"));
  if (served) {
    await serveRoutes(service, cardHandlers, undefined, cardRoutes);
  }
  const app = buildApp(service, "page", ["127.0.0.1"], {
    beforeBody: [],
    afterBody: [],
    beforeAnswer: [],
    beforeAnyAnswer: [],
  });
  const clock = settableClock(new Date("2026-11-21T12:00:00Z"));
  const limiter = (limit: number) => createAddressLimiter(() => clock.now().getTime(), limit);
  servePages(app, service, { visits: limiter(visits), unknown: limiter(unknown) }, pageRoutes);
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
  it("is the service's bytes, with headers that let a browser do nothing else", async () => {
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

  it("need not be sent again while it is the same", async () => {
    const { get } = await pages();
    const same = await get("/card/asha", { "if-none-match": '"asha-1"' });
    expect([same.statusCode, same.body, same.headers["etag"]]).toEqual([304, "", '"asha-1"']);
    const other = await get("/card/asha", { "if-none-match": '"asha-0"' });
    expect(other.statusCode).toBe(200);
  });

  it("may be a picture, of which every byte arrives", async () => {
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
  ])("%s is refused with %d in friendly words", async (path, status, title) => {
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

  it("is refused the same way when nobody makes it, and by every other method", async () => {
    const { get, app } = await pages({ served: false });
    const away = await get("/card/asha");
    expect([away.statusCode, away.headers["retry-after"]]).toEqual([503, "1"]);
    expect(away.body).toContain("Not available at the moment");
    const posted = await app.inject({ url: "/card/asha", method: "POST" });
    expect([posted.statusCode, posted.headers["allow"]]).toEqual([405, "GET"]);
    expect(posted.body).toContain("<h1>");
  });
});

describe("whoever asks for pages", () => {
  it("is limited by address, until the minute is over", async () => {
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

  it("tries few codes that are none, and then sees no page at all", async () => {
    const { get, clock } = await pages({ unknown: 3 });
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

describe("what a page sends", () => {
  it("is taken from a page of the same host, and answered like any other request", async () => {
    expect(await post({ origin: "https://malipo.example" })).toEqual({
      status: 200,
      body: { success: true, data: { name: "Asha" } },
    });
  });

  it.each([{}, { origin: "https://elsewhere.example" }, { origin: "null" }, { origin: "malipo" }])(
    "is refused from %j",
    async (headers) => {
      const { status, body } = await post(headers);
      expect([status, body.code]).toEqual([403, "foreign_origin"]);
    },
  );
});
