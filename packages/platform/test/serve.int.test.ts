// Over 300 lines because a request's whole life in a service is told in one place.
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
import { NotOnStream } from "../src/outbox/not-on-stream.ts";
import { VersionConflict } from "../src/records/record-errors.ts";
import { request } from "../src/rpc/send-request.ts";
import { serveRoutes } from "../src/rpc/serve.ts";
import type { Service } from "../src/service/service.ts";
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

async function serving(own: Partial<TestHandlers>, servers = shared): Promise<Service> {
  const service = await openTestService(inOwnNamespace(servers));
  await serveRoutes(service, testRouteHandlers, testHandlers(own), noteRoutes);
  return service;
}

type Verb = "getNote" | "createNote";

async function ask(service: Service, verb: Verb, body?: unknown, patienceMs = 5_000, pathId = id) {
  const context = {
    requestid: "req_test",
    deadline: new Date(Date.now() + patienceMs),
    params: verb === "getNote" ? { id: pathId } : {},
  };
  const bytes = body === undefined ? undefined : bytesOf(body);
  const answer = await request(service, noteRoutes[verb], context, bytes);
  if (!answer.ok) return { status: answer.error.status, code: answer.error.code };
  const text = new TextDecoder().decode(answer.value.body);
  return { status: answer.value.status, retryAfter: answer.value.retryAfter, ...JSON.parse(text) };
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === "string" ? body : JSON.stringify(body));
}

async function breakOff(): Promise<never> {
  throw new MongoNetworkError("connection closed");
}

describe("a served route", () => {
  it("answers with the status and the body of its contract", async () => {
    const service = await serving({
      createNote: async ({ body }) => ok({ data: { ...note, text: body.text } }),
    });
    expect(await ask(service, "createNote", { ...written, text: "buy milk", extra: 1 })).toEqual({
      status: 201,
      success: true,
      message: "Note created successfully",
      data: { ...note, text: "buy milk" },
    });
  });

  it("refuses before the handler: a malformed id, broken JSON, a missing or wrong body", async () => {
    const service = await serving({});
    expect(await ask(service, "getNote", undefined, 5_000, "nonsense")).toEqual({
      status: 400,
      success: false,
      error: "Invalid note ID",
      code: "invalid_id",
      requestid: "req_test",
    });
    expect(await ask(service, "createNote", "{")).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
    expect(await ask(service, "createNote")).toMatchObject({
      status: 400,
      error: "The request body is required",
    });
    expect(await ask(service, "createNote", { ...written, colour: "gold" })).toMatchObject({
      status: 400,
      error: "colour must be one of: white, yellow",
      fields: [{ path: "colour" }],
    });
  });

  it("refuses what is not UTF-8, and mends nothing", async () => {
    const service = await serving({ createNote: async () => ok({ data: note }) });
    const bytes = Buffer.concat([
      Buffer.from('{"colour":"white","text":"a'),
      Buffer.of(0xff, 0xfe),
      Buffer.from('b"}'),
    ]);
    expect(await ask(service, "createNote", bytes)).toMatchObject({
      status: 400,
      code: "invalid_json",
    });
  });

  it("hides what went wrong inside", async () => {
    const service = await serving({
      getNote: async () => {
        throw new Error("a secret of ours");
      },
    });
    const answer = await ask(service, "getNote");
    expect(answer).toEqual({
      status: 500,
      success: false,
      error: "Internal error",
      code: "internal_error",
      requestid: "req_test",
    });
  });

  it("says so when a stream does not take what it publishes", async () => {
    const service = await serving({
      getNote: async () => {
        throw new NotOnStream("no responders");
      },
    });
    expect(await ask(service, "getNote")).toMatchObject({
      status: 503,
      code: "service_unavailable",
      error: "The stream of events does not take them now. Try again later.",
    });
  });

  it("says so when an answer is too large to be sent, and goes on", async () => {
    const service = await serving({
      getNote: async () => ok({ data: { ...note, text: "é".repeat(600_000) } }),
      createNote: async () => ok({ data: note }),
    });
    const [large, other] = await Promise.all([
      ask(service, "getNote"),
      ask(service, "createNote", written),
    ]);
    expect(large).toMatchObject({ status: 500, code: "internal_error" });
    expect(other).toMatchObject({ status: 201 });
  });

  it("decides again when it lost a race, three times at most", async () => {
    let tries = 0;
    const service = await serving({
      getNote: async () => {
        tries += 1;
        if (tries < 3) throw new VersionConflict(id);
        return ok({ data: note });
      },
      createNote: async () => {
        tries += 1;
        throw new VersionConflict(id);
      },
    });
    expect(await ask(service, "getNote")).toMatchObject({ status: 200 });
    expect(tries).toBe(3);
    expect(await ask(service, "createNote", written)).toMatchObject({
      status: 409,
      code: "changed_meanwhile",
      retryAfter: "1",
    });
    expect(tries).toBe(6);
  });

  it("gives up by the deadline: a read may be repeated, of a write nothing is known", async () => {
    const stuck = Promise.withResolvers<never>();
    const hang = async () => stuck.promise;
    const service = await serving({ getNote: hang, createNote: hang });
    const [read, write] = await Promise.all([
      ask(service, "getNote", undefined, 500),
      ask(service, "createNote", written, 500),
    ]);
    expect(read).toMatchObject({ status: 503, code: "service_unavailable", requestid: "req_test" });
    expect(write).toMatchObject({ status: 504, code: "outcome_unknown", requestid: "req_test" });
    // What was given up goes on, and the service would wait for it.
    stuck.reject(new Error("the test is over"));
  });

  it("does not begin what nobody waits for any more", async () => {
    let begun = 0;
    const service = await serving({
      getNote: async () => {
        begun += 1;
        return err(fault("not_found"));
      },
    });
    expect(await ask(service, "getNote", undefined, -1_000)).toMatchObject({ status: 503 });
    expect(await ask(service, "getNote")).toMatchObject({ status: 404 });
    expect(begun).toBe(1);
    expect(await samplesOf(service, /requests_dropped/)).toEqual([
      'malipo_requests_dropped_total{reason="late",service="gateway"} 1',
    ]);
  });

  it("is a 503 while its service does not run", async () => {
    const service = await openTestService(inOwnNamespace(shared));
    const refused = { status: 503, code: "service_unavailable" };
    expect(await ask(service, "getNote")).toEqual(refused);
    // Nobody was there to take it: it did not happen, and that is known.
    expect(await ask(service, "createNote", written)).toEqual(refused);
  });

  it("says of a store that broke off: ask again for a read, unknown for a write", async () => {
    const service = await serving({ getNote: breakOff, createNote: breakOff });
    expect(await ask(service, "getNote")).toMatchObject({ status: 503 });
    expect(await ask(service, "createNote", written)).toMatchObject({
      status: 504,
      code: "outcome_unknown",
    });
  });

  it("answers at once while its store is away, without asking its handler", async () => {
    const store = await startStore();
    onTestFinished(async () => void (await store.stop()));
    let begun = 0;
    const service = await serving(
      {
        getNote: async () => {
          begun += 1;
          return ok({ data: note });
        },
      },
      { ...shared, mongodbUri: store.url },
    );
    await store.kill();
    await eventually(() => service.store.isAway(), 15_000);
    const asked = performance.now();
    expect(await ask(service, "getNote")).toMatchObject({ status: 503, retryAfter: "1" });
    expect(performance.now() - asked).toBeLessThan(1_000);
    expect(begun).toBe(0);
  });

  it("takes a thousand requests at once and refuses the next one at once", async () => {
    const release = Promise.withResolvers<void>();
    let begun = 0;
    const service = await serving({
      getNote: async () => {
        begun += 1;
        await release.promise;
        return ok({ data: note });
      },
    });
    const waiting = Array.from({ length: 1_000 }, async () => ask(service, "getNote"));
    await eventually(() => begun === 1_000);
    expect(await ask(service, "getNote")).toMatchObject({ status: 503, retryAfter: "1" });
    release.resolve();
    for (const answer of await Promise.all(waiting)) expect(answer.status).toBe(200);
    const counted = /requests_dropped|process_duration_seconds_count/;
    expect(await samplesOf(service, counted)).toEqual([
      'messaging_process_duration_seconds_count{messaging_destination_name="rpc.gateway.get-note",outcome="200",service="gateway"} 1000',
      'malipo_requests_dropped_total{reason="busy",service="gateway"} 1',
    ]);
  });

  it("counts what goes on after its caller has gone", async () => {
    const release = Promise.withResolvers<void>();
    let begun = 0;
    const service = await serving({
      getNote: async () => {
        begun += 1;
        await release.promise;
        return ok({ data: note });
      },
    });
    const givenUp = Array.from({ length: 1_000 }, async () =>
      ask(service, "getNote", undefined, 2_000),
    );
    for (const answer of await Promise.all(givenUp)) expect(answer.status).toBe(503);
    expect(begun).toBe(1_000);
    expect(await ask(service, "getNote")).toMatchObject({ status: 503, retryAfter: "1" });
    expect(begun).toBe(1_000);
    release.resolve();
    await eventually(async () => expect((await ask(service, "getNote")).status).toBe(200));
  });

  it("survives that its connection is closed before the answer", async () => {
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
    const answer = ask(caller, "getNote", undefined, 1_000);
    await begun.promise;
    await service.wire.nats.close();
    release.resolve();
    // What is thrown at the end of a turn fails the run.
    expect(await answer).toMatchObject({ status: 503 });
    expect(service.shutdown.signal.aborted).toBe(false);
  });

  it("tells the handler in which trace it works", async () => {
    const traceparent = `00-${"a".repeat(32)}-${"b".repeat(16)}-01`;
    const seen: unknown[] = [];
    const service = await serving({
      getNote: async ({ cause }) => {
        seen.push(cause.traceparent);
        return ok({ data: note });
      },
    });
    const deadline = new Date(Date.now() + 5_000);
    const context = { requestid: "req_test", deadline, params: { id }, traceparent };
    await request(service, noteRoutes.getNote, context, undefined);
    expect(seen).toEqual([traceparent]);
  });

  it("finishes what it has begun before the service stops", async () => {
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
    const answer = ask(caller, "getNote");
    await begun.promise;
    const stopped = service.shutdown.begin("test");
    await eventually(async () =>
      expect(await ask(caller, "createNote", {})).toMatchObject({ status: 503 }),
    );
    release.resolve();
    expect(await answer).toMatchObject({ status: 200 });
    await stopped;
    expect(await ask(caller, "getNote")).toMatchObject({ status: 503 });
  });

  it("works again when NATS was away and came back", async () => {
    const nats = await startNatsServer();
    onTestFinished(async () => void (await nats.stop()));
    const service = await serving(
      { getNote: async () => ok({ data: note }) },
      { ...shared, natsUrl: nats.url },
    );
    expect(await ask(service, "getNote")).toMatchObject({ status: 200 });
    await nats.kill();
    await eventually(() => !service.wire.isConnected());
    const asked = performance.now();
    expect(await ask(service, "getNote")).toEqual({ status: 503, code: "service_unavailable" });
    expect(performance.now() - asked).toBeLessThan(1_000);
    await nats.start();
    await eventually(
      async () => expect(await ask(service, "getNote")).toMatchObject({ status: 200 }),
      15_000,
    );
  });
});
