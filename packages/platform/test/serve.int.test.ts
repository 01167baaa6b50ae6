// Over 300 lines: all outcomes of a request in a service stand in one place.
import { err, fault, ok } from "@malipo/core";
import {
  eventually,
  inOwnNamespace,
  startNatsServer,
  startStore,
  useSharedServers,
} from "@malipo/testing";
import { MongoNetworkError } from "mongodb";
import { describe, expect, it, onTestFinished } from "vitest";
import { NotOnStream } from "../src/outbox/index.ts";
import { VersionConflict } from "../src/records/index.ts";
import { sendRequest, serveRoutes } from "../src/rpc/index.ts";
import type { Service } from "../src/service/index.ts";
import { noteRoutes } from "./contract.ts";
import {
  testRouteHandlers,
  openTestService,
  samplesOf,
  type TestHandlers,
  testHandlers,
} from "./test-service.ts";

const shared = useSharedServers();
const id = "507f1f77bcf86cd799439011";
const note = { _id: id, text: "hello" };
const written = { text: "hello", colour: "white" };
const refused = { status: 503, retryAfter: "1" };

async function startServing(own: Partial<TestHandlers>, servers = shared): Promise<Service> {
  const service = await openTestService(inOwnNamespace(servers));
  await serveRoutes(service, testRouteHandlers, testHandlers(own), noteRoutes);
  return service;
}

type Verb = "getNote" | "createNote";

async function send(
  service: Service,
  verb: Verb,
  body?: unknown,
  timeoutMs = 5_000,
  { pathId = id, businessid = "one" } = {},
) {
  const context = {
    requestid: "req_test",
    businessid,
    deadline: new Date(Date.now() + timeoutMs),
    params: verb === "getNote" ? { id: pathId } : {},
  };
  const bytes = body === undefined ? undefined : bytesOf(body);
  const reply = await sendRequest(service, noteRoutes[verb], context, bytes);
  if (!reply.ok) return { status: reply.error.status, code: reply.error.code };
  const text = new TextDecoder().decode(reply.value.body);
  return { status: reply.value.status, retryAfter: reply.value.retryAfter, ...JSON.parse(text) };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

async function loseConnection(): Promise<never> {
  throw new MongoNetworkError("connection closed");
}

describe("a served route", () => {
  it("replies with the status and the body of its contract", async () => {
    const service = await startServing({
      createNote: async ({ body }) => ok({ data: { ...note, text: body.text } }),
    });
    expect(await send(service, "createNote", { ...written, text: "buy milk", extra: 1 })).toEqual({
      status: 201,
      success: true,
      message: "Note created successfully",
      data: { ...note, text: "buy milk" },
    });
  });

  it("rejects a malformed id, invalid JSON, and a missing or invalid body before the handler runs", async () => {
    const service = await startServing({});
    expect(await send(service, "getNote", undefined, 5_000, { pathId: "nonsense" })).toEqual({
      status: 400,
      success: false,
      error: "Invalid note ID",
      code: "invalid_id",
      requestid: "req_test",
    });
    expect(await send(service, "createNote", "{")).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
    expect(await send(service, "createNote")).toMatchObject({
      status: 400,
      error: "The request body is required",
    });
    expect(await send(service, "createNote", { ...written, colour: "gold" })).toMatchObject({
      status: 400,
      error: "colour must be one of: white, yellow",
      fields: [{ path: "colour" }],
    });
  });

  it("rejects a body that is not valid UTF-8", async () => {
    const service = await startServing({ createNote: async () => ok({ data: note }) });
    const bytes = Buffer.concat([
      Buffer.from('{"colour":"white","text":"a'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('b"}'),
    ]);
    expect(await send(service, "createNote", bytes)).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
  });

  it("replies 500 without the error message when the handler throws", async () => {
    const service = await startServing({
      getNote: async () => {
        throw new Error("a secret");
      },
    });
    const reply = await send(service, "getNote");
    expect(reply).toEqual({
      status: 500,
      success: false,
      error: "Internal error",
      code: "internal_error",
      requestid: "req_test",
    });
  });

  it("replies 503 when the event stream does not accept a publication", async () => {
    const service = await startServing({
      getNote: async () => {
        throw new NotOnStream("no responders");
      },
    });
    expect(await send(service, "getNote")).toMatchObject({
      status: 503,
      code: "service_unavailable",
      error: "The stream of events does not take them now. Try again later.",
    });
  });

  it("replies 500 when the reply is too large for a message, and serves other requests", async () => {
    const service = await startServing({
      getNote: async () => ok({ data: { ...note, text: "é".repeat(600_000) } }),
      createNote: async () => ok({ data: note }),
    });
    const [large, other] = await Promise.all([
      send(service, "getNote"),
      send(service, "createNote", written),
    ]);
    expect(large).toMatchObject({ status: 500, code: "internal_error" });
    expect(other).toMatchObject({ status: 201 });
  });

  it("runs the handler again after a version conflict, three times at most", async () => {
    let calls = 0;
    const service = await startServing({
      getNote: async () => {
        calls += 1;
        if (calls < 3) throw new VersionConflict(id);
        return ok({ data: note });
      },
      createNote: async () => {
        calls += 1;
        throw new VersionConflict(id);
      },
    });
    expect(await send(service, "getNote")).toMatchObject({ status: 200 });
    expect(calls).toBe(3);
    expect(await send(service, "createNote", written)).toMatchObject({
      status: 409,
      code: "changed_meanwhile",
      retryAfter: "1",
    });
    expect(calls).toBe(6);
  });

  it("replies by the deadline: 503 for a read, 504 outcome_unknown for a write", async () => {
    const stuck = Promise.withResolvers<never>();
    const hang = async () => stuck.promise;
    const service = await startServing({ getNote: hang, createNote: hang });
    const [read, write] = await Promise.all([
      send(service, "getNote", undefined, 500),
      send(service, "createNote", written, 500),
    ]);
    expect(read).toMatchObject({ status: 503, code: "service_unavailable", requestid: "req_test" });
    expect(write).toMatchObject({ status: 504, code: "outcome_unknown", requestid: "req_test" });
    // The handler still runs, and the shutdown of the service would wait for it.
    stuck.reject(new Error("the test is over"));
  });

  it("drops a request whose deadline has passed", async () => {
    let calls = 0;
    const service = await startServing({
      getNote: async () => {
        calls += 1;
        return err(fault("not_found"));
      },
    });
    expect(await send(service, "getNote", undefined, -1_000)).toMatchObject({ status: 503 });
    expect(await send(service, "getNote")).toMatchObject({ status: 404 });
    expect(calls).toBe(1);
    expect(await samplesOf(service, /requests_dropped/)).toEqual([
      'malipo_requests_dropped_total{reason="late",service="gateway"} 1',
    ]);
  });

  it("is answered 503 when no process serves it", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const refused = { status: 503, code: "service_unavailable" };
    expect(await send(service, "getNote")).toEqual(refused);
    // The request was not delivered, so the outcome of the write is known.
    expect(await send(service, "createNote", written)).toEqual(refused);
  });

  it("replies 503 to a read and 504 to a write when the connection to the store breaks", async () => {
    const service = await startServing({ getNote: loseConnection, createNote: loseConnection });
    expect(await send(service, "getNote")).toMatchObject({ status: 503 });
    expect(await send(service, "createNote", written)).toMatchObject({
      status: 504,
      code: "outcome_unknown",
    });
  });

  it("replies 503 at once while the store is away, without running its handler", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    let calls = 0;
    const service = await startServing(
      {
        getNote: async () => {
          calls += 1;
          return ok({ data: note });
        },
      },
      { ...shared, mongodbUri: store.url },
    );
    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    const sentMs = performance.now();
    expect(await send(service, "getNote")).toMatchObject({ status: 503, retryAfter: "1" });
    expect(performance.now() - sentMs).toBeLessThan(1_000);
    expect(calls).toBe(0);
  });

  it("handles 1,000 requests at once, 500 of one business, and replies 503 to the next one", async () => {
    const release = Promise.withResolvers<void>();
    let calls = 0;
    const service = await startServing({
      createNote: async () => {
        calls += 1;
        await release.promise;
        return ok({ data: note });
      },
    });
    const create = async (businessid: string) =>
      send(service, "createNote", written, undefined, { businessid });
    const ofOne = Array.from({ length: 500 }, async () => create("greedy"));
    await eventually(() => calls === 500);
    expect(await create("greedy")).toMatchObject(refused);
    const ofOthers = Array.from({ length: 500 }, async (_, index) => create(`modest ${index}`));
    await eventually(() => calls === 1_000);
    expect(await create("another")).toMatchObject(refused);
    release.resolve();
    for (const { status } of await Promise.all([...ofOne, ...ofOthers])) expect(status).toBe(201);
    const counted = /requests_dropped|process_duration_seconds_count/;
    expect(await samplesOf(service, counted)).toEqual([
      'messaging_process_duration_seconds_count{messaging_destination_name="rpc.gateway.create-note",outcome="201",service="gateway"} 1000',
      'malipo_requests_dropped_total{reason="busy",service="gateway"} 2',
    ]);
  });

  it("counts a request as in flight until its handler ends, also after the reply at the deadline", async () => {
    const release = Promise.withResolvers<void>();
    let calls = 0;
    const service = await startServing({
      createNote: async () => {
        calls += 1;
        await release.promise;
        return ok({ data: note });
      },
    });
    const lateRequests = Array.from({ length: 500 }, async () =>
      send(service, "createNote", written, 2_000),
    );
    for (const { status } of await Promise.all(lateRequests)) expect(status).toBe(504);
    expect(calls).toBe(500);
    expect(await send(service, "createNote", written)).toMatchObject(refused);
    expect(calls).toBe(500);
    release.resolve();
    await eventually(async () =>
      expect((await send(service, "createNote", written)).status).toBe(201),
    );
  });

  it("keeps running when its connection is closed before the reply", async () => {
    const begun = Promise.withResolvers<void>();
    const release = Promise.withResolvers<void>();
    const service = await openTestService(inOwnNamespace(shared));
    const handlers = testHandlers({
      getNote: async () => {
        begun.resolve();
        await release.promise;
        return ok({ data: note });
      },
    });
    await serveRoutes(service, testRouteHandlers, handlers, noteRoutes);
    const caller = await openTestService({ ...shared, namespace: service.config.NAMESPACE });
    const reply = send(caller, "getNote", undefined, 1_000);
    await begun.promise;
    await service.wire.nats.close();
    release.resolve();
    // An error at the end of the event-loop turn would fail the test run.
    expect(await reply).toMatchObject({ status: 503 });
    expect(service.shutdown.signal.aborted).toBe(false);
  });

  it("passes the traceparent to the handler", async () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const seen: unknown[] = [];
    const service = await startServing({
      getNote: async ({ cause }) => {
        seen.push(cause.traceparent);
        return ok({ data: note });
      },
    });
    const deadline = new Date(Date.now() + 5_000);
    const context = { requestid: "req_test", deadline, params: { id }, traceparent };
    await sendRequest(service, noteRoutes.getNote, context, undefined);
    expect(seen).toEqual([traceparent]);
  });

  it("finishes running requests before the service stops, and accepts no new ones", async () => {
    const release = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const service = await openTestService(inOwnNamespace(shared));
    const caller = await openTestService({ ...shared, namespace: service.config.NAMESPACE });
    await serveRoutes(
      service,
      testRouteHandlers,
      testHandlers({
        getNote: async () => {
          begun.resolve();
          await release.promise;
          return ok({ data: note });
        },
      }),
      noteRoutes,
    );
    const reply = send(caller, "getNote");
    await begun.promise;
    const stopped = service.shutdown.begin("test");
    await eventually(async () =>
      expect(await send(caller, "createNote", {})).toMatchObject({ status: 503 }),
    );
    release.resolve();
    expect(await reply).toMatchObject({ status: 200 });
    await stopped;
    expect(await send(caller, "getNote")).toMatchObject({ status: 503 });
  });

  it("replies again after NATS was away and is back", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await startServing(
      { getNote: async () => ok({ data: note }) },
      { ...shared, natsUrl: nats.url },
    );
    expect(await send(service, "getNote")).toMatchObject({ status: 200 });
    await nats.kill();
    await eventually(() => !service.wire.isConnected());
    const sentMs = performance.now();
    expect(await send(service, "getNote")).toEqual({ status: 503, code: "service_unavailable" });
    expect(performance.now() - sentMs).toBeLessThan(1_000);
    await nats.start();
    await eventually(
      async () => expect(await send(service, "getNote")).toMatchObject({ status: 200 }),
      15_000,
    );
  });
});
