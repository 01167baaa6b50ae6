import { allRoutes } from "@malipo/contracts";
import {
  allServices,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  sendRaw,
  useSystem,
} from "@malipo/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { listIn } from "./operator-calls.ts";

const system = useSystem(allServices);
const { operator } = system;
const someId = "507f1f77bcf86cd799439011";
const operatorRoutes = allRoutes.filter(({ audience }) => audience === "operator");

let own: { businessid: string; secret: string };
beforeEach(async () => {
  own = await makeBusiness(system.gateway());
});

describe("every operator route", () => {
  it.each(operatorRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s accepts the operator token only",
    async (_name, route) => {
      const url = system.gateway().operatorUrl + route.path.replace(":id", own.businessid);
      const body = route.method === "GET" ? undefined : {};
      for (const [authorization, code] of [
        [undefined, "missing_credential"],
        [own.secret, "invalid_credential"],
        ["Bearer wrong", "invalid_credential"],
        [`Basic ${system.gateway().operatorToken}`, "invalid_credential"],
      ]) {
        const answer = await call(url, route.method, authorization, body);
        expect({ status: answer.status, body: answer.body }).toEqual({
          status: 401,
          body: {
            success: false,
            error: expect.any(String),
            code,
            requestid: answer.headers.get("x-request-id"),
          },
        });
        expect(answer.headers.get("www-authenticate")).toContain("Bearer");
      }
    },
  );

  it("refuses host names that it does not know, also with the token", async () => {
    const { operatorUrl, operatorToken } = system.gateway();
    const statusFor = async (host: string) => {
      const request = `GET /operator/business/list HTTP/1.0\r\nHost: ${host}\r\nAuthorization: Bearer ${operatorToken}\r\n\r\n`;
      const [answer] = await sendRaw(operatorUrl, request);
      return [answer?.status, JSON.parse(answer?.text ?? "{}").code];
    };
    for (const host of ["127.0.0.1:1", "localhost", "[::1]:8081"]) {
      expect(await statusFor(host)).toEqual([200, undefined]);
    }
    for (const host of ["evil.example", "127.0.0.1.nip.io:8081", "localhost.evil.example"]) {
      expect(await statusFor(host)).toEqual([421, "unknown_host"]);
    }
  });

  it.each(
    operatorRoutes
      .filter(({ params }) => "id" in params)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )("%s answers 404 to an unknown id and 400 to a malformed one", async (_name, route) => {
    const body = { plan: "free", note: "unknown record" };
    const given = route.method === "GET" ? undefined : body;
    const missing = await operator(route.method, route.path.replace(":id", someId), given);
    expect([missing.status, missing.body["code"]]).toEqual([404, "not_found"]);
    expect(missing.body["error"]).toMatch(/^[A-Z][\w ]+ not found$/);
    const malformed = await operator(route.method, route.path.replace(":id", "nonsense"), given);
    expect([malformed.status, malformed.body["error"]]).toEqual([
      400,
      `Invalid ${route.params["id"]} ID`,
    ]);
  });

  it("is an unknown path on the public port", async () => {
    for (const route of operatorRoutes) {
      const path = route.path.replace(":id", own.businessid);
      const { apiUrl, operatorToken } = system.gateway();
      const answer = await call(apiUrl + path, route.method, `Bearer ${operatorToken}`);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe("the audit log", () => {
  it("has every call with its body, and never a token or a secret", async () => {
    const audit = system.database("gateway").collection("audit");
    const body = { plan: "starter" };
    const path = `/operator/business/set-plan/${own.businessid}`;
    const changed = await operator("POST", path, body);
    const listed = await operator("GET", "/operator/business/list?limit=1");
    const failed = await operator("POST", `/operator/key/revoke/${someId}`);
    const rows = await Promise.all(
      [changed, listed, failed].map(async ({ headers }) =>
        audit.findOne({ requestid: headers.get("x-request-id") }),
      ),
    );
    expect(rows).toMatchObject([
      { method: "POST", url: path, address: "127.0.0.1", body: JSON.stringify(body) },
      { method: "GET", url: "/operator/business/list?limit=1", body: "" },
      { method: "POST", url: `/operator/key/revoke/${someId}` },
    ]);
    expect(rows.every((row) => row?.["at"] instanceof Date)).toBe(true);
    const guess = "a-wrong-token-of-more-than-32-characters";
    const url = `${system.gateway().operatorUrl}/operator/business/list`;
    for (const [token, refused] of [
      [guess, "invalid_credential"],
      [undefined, "missing_credential"],
    ] as const) {
      const { status, headers } = await call(url, "GET", token);
      expect(status).toBe(401);
      expect(await audit.findOne({ requestid: headers.get("x-request-id") })).toMatchObject({
        method: "GET",
        url: "/operator/business/list",
        address: "127.0.0.1",
        refused,
      });
    }
    const everything = JSON.stringify(await audit.find().toArray());
    expect(everything).not.toContain(guess);
    expect(everything).not.toContain(system.gateway().operatorToken);
    expect(everything).not.toContain("sk_test_");
  });
});

describe("events", () => {
  it("are published again from a given time on, step by step until none is left", async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const created = await call(
      `${system.gateway().apiUrl}/business/product/create`,
      "POST",
      own.secret,
      { title: "Chai", price: 30 },
    );
    for (const [service, recordid] of [
      ["invoice", idIn(created)],
      ["gateway", own.businessid],
    ]) {
      const eventsOfRecord = async () =>
        (await readEvents(system.servers)).filter((each) => each.recordid === recordid);
      await eventually(async () => expect(await eventsOfRecord()).toHaveLength(1));
      const path = `/operator/events/resend/${service}`;
      let step = dataOf(await operator("POST", path, { since }));
      let sent = Number(step["sent"]);
      for (let steps = 0; step["cursor"] !== null && steps < 100; steps += 1) {
        step = dataOf(await operator("POST", path, { since, cursor: step["cursor"] }));
        sent += Number(step["sent"]);
      }
      expect(step["cursor"]).toBeNull();
      expect(sent).toBeGreaterThanOrEqual(1);
      // Their message ids are unchanged, so the stream drops the duplicates.
      expect(await eventsOfRecord()).toHaveLength(1);
      const future = new Date(Date.now() + 60_000).toISOString();
      expect(dataOf(await operator("POST", path, { since: future }))["sent"]).toBe(0);
    }
    const refused = await operator("POST", "/operator/events/resend/invoice", { since: "never" });
    expect([refused.status, refused.body["code"]]).toEqual([400, "invalid_request"]);
  });

  it("in the dead-letter stream are listed, and an unknown one cannot be replayed", async () => {
    const listed = await operator("GET", "/operator/dead/letters?limit=5");
    expect([listed.status, listIn(listed)]).toEqual([200, []]);
    const replayed = await operator("POST", "/operator/dead/replay", { seq: 1 });
    expect([replayed.status, replayed.body["error"]]).toEqual([404, "Dead letter not found"]);
    for (const seq of [0, 1.5, "1"]) {
      expect((await operator("POST", "/operator/dead/replay", { seq })).status).toBe(400);
    }
  });
});
