// Over 300 lines because the operator's whole surface is tried on one running system.
import { allRoutes } from "@malipo/contracts";
import {
  allServices,
  type ApiAnswer,
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  readEvents,
  type TestSystem,
  useSystem,
} from "@malipo/testing";
import { beforeEach, describe, expect, it } from "vitest";
import { fromAnyAddress } from "./addresses.ts";

const system = useSystem(allServices, { gateways: 2, ownProcess: ["invoice"] });
const { operator } = system;
const someId = "507f1f77bcf86cd799439011";
/** Within which every gateway knows what was changed at one of them. */
const everywhereMs = 1_000;

const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");
const operatorRoutes = allRoutes.filter(({ audience }) => audience === "operator");

function bothGateways(): readonly TestSystem[] {
  return [system.gateway(0), system.gateway(1)];
}

let own: { businessid: string; secret: string };
beforeEach(async () => {
  own = await makeBusiness(system.gateway());
});

async function settingsBy(secret: string, { apiUrl }: TestSystem): Promise<ApiAnswer> {
  return call(`${apiUrl}/business/settings`, "GET", secret, undefined, fromAnyAddress());
}

/** Asks both gateways until they answer so: who remembers the secret must have learned of it by then. */
async function expectOfBoth(secret: string, status: number) {
  await eventually(async () => {
    const answers = await Promise.all(
      bothGateways().map(async (gateway) => settingsBy(secret, gateway)),
    );
    expect(answers.map((answer) => answer.status)).toEqual([status, status]);
  }, everywhereMs);
}

function listIn(answer: ApiAnswer): Record<string, unknown>[] {
  return answer.body["data"] as Record<string, unknown>[];
}

async function keysOf(businessid: string) {
  return listIn(await operator("GET", `/operator/key/list/${businessid}`));
}

async function settings() {
  return dataOf(await settingsBy(own.secret, system.gateway(1)));
}

async function updateSettings(change: object): Promise<ApiAnswer> {
  const url = `${system.gateway().apiUrl}/business/settings/update`;
  return call(url, "PATCH", own.secret, change);
}

async function setAsOperator(change: object): Promise<ApiAnswer> {
  return operator("PATCH", `/operator/business/set/${own.businessid}`, change);
}

describe("every operator route", () => {
  it.each(operatorRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    "%s opens to the operator's token only",
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

  it.each(
    operatorRoutes
      .filter(({ params }) => "id" in params)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )("%s does not find what is not there, and refuses what is no id", async (_name, route) => {
    const body = { plan: "free", note: "of nobody" };
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

  it("is unknown to the public", async () => {
    for (const route of operatorRoutes) {
      const path = route.path.replace(":id", own.businessid);
      const { apiUrl, operatorToken } = system.gateway();
      const answer = await call(apiUrl + path, route.method, `Bearer ${operatorToken}`);
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe("a business", () => {
  it("is created, found and listed, newest first", async () => {
    const created = await operator("POST", "/operator/business/create", {
      name: "Mama Mboga",
      plan: "starter",
    });
    expect([created.status, created.body["message"]]).toEqual([
      201,
      "Business created successfully",
    ]);
    expect(dataOf(created)).toMatchObject({
      name: "Mama Mboga",
      plan: "starter",
      limits: null,
      status: "active",
      settings: { displayname: "Mama Mboga", duedays: 7, duedaysweekly: 3, partpayment: true },
    });
    const found = await operator("GET", `/operator/business/details/${idIn(created)}`);
    expect(dataOf(found)).toEqual({ ...dataOf(created), firstproductat: null });
    const listed = await operator("GET", "/operator/business/list?limit=1");
    expect(listIn(listed)).toEqual([dataOf(created)]);
    expect(listed.body["meta"]).toMatchObject({ page: 1, limit: 1 });
  });

  it.each([
    [{ plan: "free" }, "name is required"],
    [{ name: "", plan: "free" }, "name must not be empty"],
    [{ name: "A", plan: "gold" }, "plan must be one of: free, starter, professional, enterprise"],
    [
      { name: "A", plan: "free", limits: { second: 1, minute: 1, day: 1 } },
      "limits are set for the enterprise plan only",
    ],
    [
      { name: "A", plan: "enterprise", limits: { second: 0, minute: 1, day: 1 } },
      "limits.second must be at least 1",
    ],
  ])("is not created from %j: %s", async (body, text) => {
    const answer = await operator("POST", "/operator/business/create", body);
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
  });

  it("that is suspended gets 403 on every route of both gateways, until it is resumed", async () => {
    await expectOfBoth(own.secret, 200);
    const suspended = await operator("POST", `/operator/business/suspend/${own.businessid}`);
    expect([suspended.status, dataOf(suspended)["status"]]).toEqual([200, "suspended"]);
    await expectOfBoth(own.secret, 403);
    for (const { apiUrl } of bothGateways()) {
      for (const route of publicRoutes) {
        const url = apiUrl + route.path.replace(":id", someId);
        const body = route.method === "GET" ? undefined : {};
        const answer = await call(url, route.method, own.secret, body);
        expect({ url, status: answer.status, code: answer.body["code"] }).toEqual({
          url,
          status: 403,
          code: "business_suspended",
        });
      }
    }
    const again = await operator("POST", `/operator/business/suspend/${own.businessid}`);
    expect([again.status, again.body["error"]]).toEqual([409, "Business is suspended"]);

    const resumed = await operator("POST", `/operator/business/resume/${own.businessid}`);
    expect([resumed.status, dataOf(resumed)["status"]]).toEqual([200, "active"]);
    await expectOfBoth(own.secret, 200);
    const awake = await operator("POST", `/operator/business/resume/${own.businessid}`);
    expect([awake.status, awake.body["error"]]).toEqual([409, "Business is active"]);
  });

  it("that is suspended does not keep others out", async () => {
    await operator("POST", `/operator/business/suspend/${own.businessid}`);
    await expectOfBoth(own.secret, 403);
    await expectOfBoth(system.business.secret, 200);
  });

  it("has the limits of its new plan at once, at both gateways", async () => {
    await expectOfBoth(own.secret, 200);
    const custom = { second: 7, minute: 1_000, day: 100_000 };
    for (const [terms, limit] of [
      [{ plan: "starter" }, "10"],
      [{ plan: "enterprise", limits: custom }, "7"],
      [{ plan: "professional" }, "25"],
    ] as const) {
      const set = await operator("POST", `/operator/business/set-plan/${own.businessid}`, terms);
      expect([set.status, dataOf(set)["plan"]]).toEqual([200, terms.plan]);
      expect(dataOf(set)["limits"]).toEqual("limits" in terms ? terms.limits : null);
      await eventually(async () => {
        for (const gateway of bothGateways()) {
          const answer = await settingsBy(own.secret, gateway);
          expect(answer.headers.get("x-ratelimit-limit")).toBe(limit);
        }
      }, everywhereMs);
    }
    const misfit = { plan: "starter", limits: custom };
    const refused = await operator("POST", `/operator/business/set-plan/${own.businessid}`, misfit);
    expect([refused.status, refused.body["error"]]).toEqual([
      400,
      "limits are set for the enterprise plan only",
    ]);
  });

  it("tells the stream what became of it, in its order", async () => {
    const { businessid } = own;
    await operator("POST", `/operator/business/suspend/${businessid}`);
    await operator("POST", `/operator/business/resume/${businessid}`);
    await operator("POST", `/operator/business/set-plan/${businessid}`, { plan: "starter" });
    const last = await operator("PATCH", `/operator/business/set/${businessid}`, { duedays: 30 });
    await eventually(async () => {
      const events = (await readEvents(system.servers)).filter(
        (each) => each.recordid === businessid,
      );
      expect(events.map(({ type, seq, businessid }) => ({ type, seq, businessid }))).toEqual(
        ["created", "suspended", "resumed", "updated", "updated"].map((what, index) => ({
          type: `business.${what}`,
          seq: index + 1,
          businessid,
        })),
      );
      expect(events.map(({ data }) => (data as { status: string }).status)).toEqual([
        "active",
        "suspended",
        "active",
        "active",
        "active",
      ]);
      expect(events.at(-1)?.data).toEqual(dataOf(last));
    });
  });
});

describe("keys", () => {
  it("are issued with a secret that is shown once, and listed without it", async () => {
    const issued = await operator("POST", `/operator/key/issue/${own.businessid}`);
    expect([issued.status, issued.body["message"]]).toEqual([201, "Key issued successfully"]);
    const { secret, ...key } = dataOf(issued);
    expect(secret).toMatch(/^sk_test_[0-9A-Za-z]{49}$/);
    await expectOfBoth(String(secret), 200);
    const answer = await operator("GET", `/operator/key/list/${own.businessid}`);
    expect(listIn(answer)[0]).toEqual(key);
    expect(listIn(answer)).toHaveLength(2);
    expect(answer.text).not.toContain("sk_test_");
  });

  it("are rotated: both secrets work until the overlap ends", async () => {
    const [old] = await keysOf(own.businessid);
    const before = Date.now();
    const rotated = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {
      overlapseconds: 3_600,
    });
    expect(rotated.status).toBe(200);
    await expectOfBoth(String(dataOf(rotated)["secret"]), 200);
    await expectOfBoth(own.secret, 200);
    const keys = await keysOf(own.businessid);
    expect(keys.map(({ status }) => status)).toEqual(["active", "expiring"]);
    const end = Date.parse(String(keys[1]?.["expiresat"])) - before;
    expect(end).toBeGreaterThanOrEqual(3_600_000);
    expect(end).toBeLessThan(3_610_000);
    const again = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {});
    expect([again.status, again.body["error"]]).toEqual([409, "Key is expiring"]);
  });

  it("are rotated without an overlap: the old secret is refused at once", async () => {
    await expectOfBoth(own.secret, 200);
    const [old] = await keysOf(own.businessid);
    const rotated = await operator("POST", `/operator/key/rotate/${String(old?.["_id"])}`, {
      overlapseconds: 0,
    });
    await expectOfBoth(own.secret, 401);
    await expectOfBoth(String(dataOf(rotated)["secret"]), 200);
    expect((await keysOf(own.businessid)).map(({ status }) => status)).toEqual([
      "active",
      "expired",
    ]);
  });

  it.each([
    [-1, "overlapseconds must be at least 0"],
    [604_801, "overlapseconds must be at most 604800"],
    [1.5, "overlapseconds must be a whole number"],
    ["60", "overlapseconds must be a number"],
  ])("are not rotated with an overlap of %j", async (overlapseconds, text) => {
    const [key] = await keysOf(own.businessid);
    const answer = await operator("POST", `/operator/key/rotate/${String(key?.["_id"])}`, {
      overlapseconds,
    });
    expect([answer.status, answer.body["error"]]).toEqual([400, text]);
    expect(await keysOf(own.businessid)).toHaveLength(1);
  });

  it("are revoked at both gateways, and the first moment stands", async () => {
    await expectOfBoth(own.secret, 200);
    const [key] = await keysOf(own.businessid);
    const path = `/operator/key/revoke/${String(key?.["_id"])}`;
    const revoked = await operator("POST", path);
    expect([revoked.status, dataOf(revoked)["status"]]).toEqual([200, "revoked"]);
    await expectOfBoth(own.secret, 401);
    expect(dataOf(await operator("POST", path))).toEqual(dataOf(revoked));
    const rotated = await operator("POST", path.replace("revoke", "rotate"), {});
    expect([rotated.status, rotated.body["error"]]).toEqual([409, "Key is revoked"]);
  });

  it("are revoked under requests that never pause: after a second none gets through", async () => {
    const [key] = await keysOf(own.businessid);
    const asked: { at: number; status: number }[] = [];
    const stop = new AbortController();
    const askers = bothGateways().flatMap((gateway) =>
      Array.from({ length: 4 }, async () => {
        while (!stop.signal.aborted) {
          const at = performance.now();
          asked.push({ at, status: (await settingsBy(own.secret, gateway)).status });
        }
      }),
    );
    await eventually(() => expect(asked.length).toBeGreaterThan(40));
    await operator("POST", `/operator/key/revoke/${String(key?.["_id"])}`);
    const revokedAt = performance.now();
    await eventually(() =>
      expect(asked.filter(({ at }) => at > revokedAt + everywhereMs).length).toBeGreaterThan(20),
    );
    stop.abort();
    await Promise.all(askers);
    const late = asked.filter(({ at }) => at > revokedAt + everywhereMs);
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([200, 401]));
  });

  it("that are revoked take no request in flight down with them", async () => {
    const [key] = await keysOf(own.businessid);
    const { invoice } = system.gateway().services;
    const claims = system.database("gateway").collection("idempotencykeys");
    const before = await claims.countDocuments();
    invoice?.pause();
    try {
      const create = `${system.gateway(1).apiUrl}/business/product/create`;
      const product = { title: "Chai", price: 30 };
      const inFlight = call(create, "POST", own.secret, product, { "idempotency-key": "a" });
      // Its key is claimed after its credential was looked at.
      await eventually(async () => expect(await claims.countDocuments()).toBe(before + 1));
      await operator("POST", `/operator/key/revoke/${String(key?.["_id"])}`);
      await expectOfBoth(own.secret, 401);
      invoice?.resume();
      expect((await inFlight).status).toBe(201);
    } finally {
      invoice?.resume();
    }
  });

  it("tell when they were last used, also through another gateway", async () => {
    const [key] = await keysOf(own.businessid);
    expect(key?.["lastusedat"]).toBeNull();
    const usedFrom = Date.now();
    const second = system.gateway(1);
    expect((await settingsBy(own.secret, second)).status).toBe(200);
    const usedUntil = Date.now();
    // What it has noted it writes at the latest when it stops.
    await second.services["gateway"]?.stop();
    try {
      const [noted] = await keysOf(own.businessid);
      const at = Date.parse(String(noted?.["lastusedat"]));
      expect(at).toBeGreaterThanOrEqual(usedFrom);
      expect(at).toBeLessThanOrEqual(usedUntil);
    } finally {
      await second.services["gateway"]?.start();
    }
  });
});

describe("the audit", () => {
  it("holds every call with its body, and never a token or a secret", async () => {
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
    const guess = "a-token-that-somebody-guessed-and-is-wrong";
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

describe("settings", () => {
  it("begin as the business was named, and only what is sent changes", async () => {
    const initial = {
      displayname: "Duka la Mtihani",
      feepercent: 0,
      feefixed: 0,
      duedays: 7,
      duedaysweekly: 3,
      partpayment: true,
    };
    expect(await settings()).toEqual(initial);
    const changed = await updateSettings({ feepercent: 2.5, partpayment: false, colour: "red" });
    expect([changed.status, changed.body["message"]]).toEqual([
      200,
      "Settings updated successfully",
    ]);
    expect(dataOf(changed)).toEqual({ ...initial, feepercent: 2.5, partpayment: false });
    expect(await settings()).toEqual(dataOf(changed));
    const again = await setAsOperator({ feefixed: 12.5 });
    expect(dataOf(again)["settings"]).toEqual({ ...dataOf(changed), feefixed: 12.5 });
    expect(await settings()).toEqual(dataOf(again)["settings"]);
    expect(dataOf(await updateSettings({}))).toEqual(await settings());
  });

  it.each([
    { displayname: "x".repeat(200) },
    { displayname: " Duka " },
    { feepercent: 0 },
    { feepercent: 100 },
    { feefixed: 0 },
    { feefixed: 0.01 },
    { duedays: 0, duedaysweekly: 0 },
    { duedays: 365, duedaysweekly: 365 },
    { partpayment: false },
  ])("take %j from the business and from an operator", async (change) => {
    for (const ask of [updateSettings, setAsOperator]) {
      const answer = await ask(change);
      expect(answer.status).toBe(200);
      const trimmed = "displayname" in change ? { displayname: change.displayname.trim() } : {};
      expect(await settings()).toMatchObject({ ...change, ...trimmed });
    }
  });

  it.each([
    [{ displayname: "" }, "displayname must not be empty"],
    [{ displayname: "x".repeat(201) }, "displayname must be at most 200 characters long"],
    [{ displayname: "a\u0007" }, "displayname must not contain control characters"],
    [{ displayname: null }, "displayname must be a string"],
    [{ feepercent: -0.01 }, "feepercent must be at least 0"],
    [{ feepercent: 100.01 }, "feepercent must be at most 100"],
    [{ feepercent: "5" }, "feepercent must be a number"],
    [{ feefixed: -0.01 }, "feefixed must not be negative"],
    [{ feefixed: 0.001 }, "feefixed must have at most two decimals"],
    [{ feefixed: 1e14 }, "feefixed is too large"],
    [{ duedays: -1 }, "duedays must be at least 0"],
    [{ duedays: 366 }, "duedays must be at most 365"],
    [{ duedays: 1.5 }, "duedays must be a whole number"],
    [{ duedaysweekly: -1 }, "duedaysweekly must be at least 0"],
    [{ duedaysweekly: 366 }, "duedaysweekly must be at most 365"],
    [{ duedaysweekly: "7" }, "duedaysweekly must be a number"],
    [{ partpayment: "yes" }, "partpayment must be true or false"],
    [{ partpayment: null }, "partpayment must be true or false"],
    [{ duedays: 5, feepercent: 101 }, "feepercent must be at most 100"],
  ])("refuse %j, and keep nothing of it: %s", async (change, text) => {
    const before = await settings();
    for (const ask of [updateSettings, setAsOperator]) {
      const answer = await ask(change);
      expect([answer.status, answer.body["code"], answer.body["error"]]).toEqual([
        400,
        "invalid_request",
        text,
      ]);
      const [path, ...problem] = text.split(" ");
      expect(answer.body["fields"]).toEqual([{ path, problem: problem.join(" ") }]);
    }
    expect(await settings()).toEqual(before);
  });
});

describe("events", () => {
  it("are published again since a moment, step by step until nothing is left", async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    const made = await call(
      `${system.gateway().apiUrl}/business/product/create`,
      "POST",
      own.secret,
      { title: "Chai", price: 30 },
    );
    for (const [service, recordid] of [
      ["invoice", idIn(made)],
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
      // Their ids are the same: the stream keeps none of them twice.
      expect(await eventsOfRecord()).toHaveLength(1);
      const future = new Date(Date.now() + 60_000).toISOString();
      expect(dataOf(await operator("POST", path, { since: future }))["sent"]).toBe(0);
    }
    const refused = await operator("POST", "/operator/events/resend/invoice", { since: "never" });
    expect([refused.status, refused.body["code"]]).toEqual([400, "invalid_request"]);
  });

  it("that were set aside are listed; one that is not there is not replayed", async () => {
    const listed = await operator("GET", "/operator/dead/letters?limit=5");
    expect([listed.status, listIn(listed)]).toEqual([200, []]);
    const replayed = await operator("POST", "/operator/dead/replay", { seq: 1 });
    expect([replayed.status, replayed.body["error"]]).toEqual([404, "Dead letter not found"]);
    for (const seq of [0, 1.5, "1"]) {
      expect((await operator("POST", "/operator/dead/replay", { seq })).status).toBe(400);
    }
  });
});
