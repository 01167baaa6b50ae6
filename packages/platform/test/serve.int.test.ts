import { routes } from "@malipo/contracts";
import { err, fault, ok } from "@malipo/core";
import { eventually, freshNamespace, startNatsServer, useSharedServers } from "@malipo/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { VersionConflict } from "../src/records.ts";
import { request } from "../src/request.ts";
import { serveRoutes } from "../src/serve.ts";
import type { Service } from "../src/service.ts";
import {
  handlersFolder,
  openTestService,
  type TestHandlers,
  testHandlers,
  testRoutes,
} from "./test-service.ts";

const shared = useSharedServers();
const id = "507f1f77bcf86cd799439011";
const business = {
  _id: id,
  name: "Duka",
  plan: "free",
  limits: null,
  status: "active",
  settings: {
    displayname: "Duka",
    feepercent: 0,
    feefixed: 0,
    duedays: 7,
    duedaysweekly: 3,
    partpayment: true,
  },
  firstproductat: null,
  createdat: "2026-11-21T08:00:00.000Z",
  updatedat: "2026-11-21T08:00:00.000Z",
} as const;

async function serving(own: Partial<TestHandlers>, servers = shared): Promise<Service> {
  const service = await openTestService({ ...servers, namespace: freshNamespace() });
  await serveRoutes(service, handlersFolder, testHandlers(own), testRoutes);
  return service;
}

type Verb = "getBusiness" | "createBusiness";

async function ask(service: Service, verb: Verb, body?: unknown, patienceMs = 5_000, pathId = id) {
  const context = {
    requestid: "req_test",
    deadline: new Date(Date.now() + patienceMs),
    params: verb === "getBusiness" ? { id: pathId } : {},
  };
  const bytes =
    body === undefined
      ? undefined
      : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  const answer = await request(
    service.wire,
    service.config.NAMESPACE,
    routes[verb],
    context,
    bytes,
  );
  if (!answer.ok) return { status: answer.error.status, code: answer.error.code };
  const text = new TextDecoder().decode(answer.value.body);
  return { status: answer.value.status, retryAfter: answer.value.retryAfter, ...JSON.parse(text) };
}

const never = async () => new Promise<never>(() => undefined);

describe("a served route", () => {
  it("answers with the status and the body of its contract", async () => {
    const service = await serving({
      "create-business": async ({ body }) => ok({ data: { ...business, name: body.name } }),
    });
    expect(
      await ask(service, "createBusiness", { name: "Mama Mboga", plan: "free", extra: 1 }),
    ).toEqual({
      status: 201,
      success: true,
      message: "Business created successfully",
      data: { ...business, name: "Mama Mboga" },
    });
  });

  it("refuses before the handler: a malformed id, broken JSON, a missing or wrong body", async () => {
    const service = await serving({});
    expect(await ask(service, "getBusiness", undefined, 5_000, "nonsense")).toEqual({
      status: 400,
      success: false,
      error: "Invalid business ID",
      code: "invalid_id",
      requestid: "req_test",
    });
    expect(await ask(service, "createBusiness", "{")).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
    expect(await ask(service, "createBusiness")).toMatchObject({
      status: 400,
      error: "The request body is required",
    });
    expect(await ask(service, "createBusiness", { name: "x", plan: "gold" })).toMatchObject({
      status: 400,
      error: "plan must be one of: free, starter, professional, enterprise",
      fields: [{ path: "plan" }],
    });
  });

  it("hides what went wrong inside", async () => {
    const service = await serving({
      "get-business": async () => {
        throw new Error("a secret of ours");
      },
    });
    const answer = await ask(service, "getBusiness");
    expect(answer).toEqual({
      status: 500,
      success: false,
      error: "Internal error",
      code: "internal_error",
      requestid: "req_test",
    });
  });

  it("says so when an answer is too large to be sent, and goes on", async () => {
    const service = await serving({
      "get-business": async () => ok({ data: { ...business, name: "é".repeat(600_000) } }),
      "create-business": async () => ok({ data: business }),
    });
    const [large, other] = await Promise.all([
      ask(service, "getBusiness"),
      ask(service, "createBusiness", { name: "x", plan: "free" }),
    ]);
    expect(large).toMatchObject({ status: 500, code: "internal_error" });
    expect(other).toMatchObject({ status: 201 });
  });

  it("decides again when it lost a race, three times at most", async () => {
    let tries = 0;
    const service = await serving({
      "get-business": async () => {
        tries += 1;
        if (tries < 3) throw new VersionConflict(id);
        return ok({ data: business });
      },
      "create-business": async () => {
        tries += 1;
        throw new VersionConflict(id);
      },
    });
    expect(await ask(service, "getBusiness")).toMatchObject({ status: 200 });
    expect(tries).toBe(3);
    expect(await ask(service, "createBusiness", { name: "x", plan: "free" })).toMatchObject({
      status: 409,
      code: "changed_meanwhile",
      retryAfter: "1",
    });
    expect(tries).toBe(6);
  });

  it("gives up by the deadline: a read may be repeated, of a write nothing is known", async () => {
    const service = await serving({ "get-business": never, "create-business": never });
    const [read, write] = await Promise.all([
      ask(service, "getBusiness", undefined, 500),
      ask(service, "createBusiness", { name: "x", plan: "free" }, 500),
    ]);
    expect(read).toMatchObject({ status: 503, code: "service_unavailable", requestid: "req_test" });
    expect(write).toMatchObject({ status: 504, code: "outcome_unknown", requestid: "req_test" });
  });

  it("does not begin what nobody waits for any more", async () => {
    let begun = 0;
    const service = await serving({
      "get-business": async () => {
        begun += 1;
        return err(fault("not_found"));
      },
    });
    expect(await ask(service, "getBusiness", undefined, -1_000)).toMatchObject({ status: 503 });
    expect(await ask(service, "getBusiness")).toMatchObject({ status: 404 });
    expect(begun).toBe(1);
  });

  it("is a 503 while its service does not run", async () => {
    const service = await openTestService({ ...shared, namespace: freshNamespace() });
    expect(await ask(service, "getBusiness")).toEqual({ status: 503, code: "service_unavailable" });
  });

  it("finishes what it has begun before the service stops", async () => {
    const release = Promise.withResolvers<void>();
    const service = await openTestService({ ...shared, namespace: freshNamespace() });
    const caller = await openTestService({ ...shared, namespace: service.config.NAMESPACE });
    await serveRoutes(
      service,
      handlersFolder,
      testHandlers({
        "get-business": async () => {
          await release.promise;
          return ok({ data: business });
        },
      }),
      testRoutes,
    );
    const answer = ask(caller, "getBusiness");
    await eventually(() => service.wire.nats.stats().inMsgs > 0);
    const stopped = service.shutdown.begin("test");
    release.resolve();
    expect(await answer).toMatchObject({ status: 200 });
    await stopped;
    expect(await ask(caller, "getBusiness")).toMatchObject({ status: 503 });
  });

  it("works again when NATS was away and came back", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await serving(
      { "get-business": async () => ok({ data: business }) },
      { ...shared, natsUrl: nats.url },
    );
    expect(await ask(service, "getBusiness")).toMatchObject({ status: 200 });
    await nats.kill();
    await eventually(() => !service.wire.isConnected());
    const asked = performance.now();
    expect(await ask(service, "getBusiness")).toEqual({ status: 503, code: "service_unavailable" });
    expect(performance.now() - asked).toBeLessThan(1_000);
    await nats.start();
    await eventually(
      async () => expect(await ask(service, "getBusiness")).toMatchObject({ status: 200 }),
      15_000,
    );
  });
});
