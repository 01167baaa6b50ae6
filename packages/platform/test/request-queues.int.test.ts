import { call, listQuery, page, route } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { RouteRequest } from "../src/rpc/handlers.ts";
import { sendRequest, serveRoutes } from "../src/rpc/index.ts";
import type { Service } from "../src/service/index.ts";
import { openTestService, samplesOf } from "./test-service.ts";

const shared = useSharedServers();

const ofNotes = { audience: "public", service: "gateway", summary: "A note" } as const;
const data = z.array(z.string());
const operations = {
  listNotes: route({
    ...ofNotes,
    rateClass: "plan",
    verb: "list-notes",
    method: "GET",
    path: "/note/list",
    query: listQuery({}),
    reply: { status: 200, data, paging: "meta" },
  }),
  testNote: route({
    ...ofNotes,
    rateClass: "none",
    verb: "test-note",
    method: "POST",
    path: "/note/test",
    reply: { status: 200, data },
  }),
  createNote: route({
    ...ofNotes,
    rateClass: "plan",
    verb: "create-note",
    method: "POST",
    path: "/note/create",
    body: z.object({ text: z.string().optional() }),
    reply: { status: 200, data },
  }),
  getNote: route({
    ...ofNotes,
    rateClass: "plan",
    verb: "get-note",
    method: "GET",
    path: "/note/details",
    reply: { status: 200, data },
  }),
  describeNote: call({
    service: "gateway",
    verb: "describe-note",
    callers: ["gateway"],
    effect: "reads",
    body: z.object({}),
    data,
  }),
  showNote: page({
    service: "gateway",
    verb: "show-note",
    path: "/n/:code",
    summary: "A note",
    noun: "note",
    code: /^\w+$/,
    media: "text/html; charset=utf-8",
  }),
  printNote: page({
    service: "gateway",
    verb: "print-note",
    path: "/n/:code.pdf",
    summary: "A note",
    noun: "note",
    code: /^\w+$/,
    media: "application/pdf",
  }),
} as const;
type Verb = keyof typeof operations;

/** A service whose handlers wait, and the requests that they hold. */
async function startHolding() {
  let now = new Date();
  const service = await openTestService(inOwnNamespace(shared), () => now);
  let isHolding = true;
  const held: { readonly verb: Verb; readonly client?: string | undefined; release(): void }[] = [];
  const handlerOf =
    (verb: Verb) =>
    () =>
    async ({ client }: RouteRequest): Promise<Result<unknown, Fault>> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (!isHolding) resolve();
      held.push({ verb, client, release: resolve });
      await promise;
      return ok({ data: [], bytes: "note" });
    };
  const handlers = {
    listNotes: handlerOf("listNotes"),
    testNote: handlerOf("testNote"),
    createNote: handlerOf("createNote"),
    getNote: handlerOf("getNote"),
    describeNote: handlerOf("describeNote"),
    showNote: handlerOf("showNote"),
    printNote: handlerOf("printNote"),
  };
  await serveRoutes(service, handlers, {}, operations);
  return {
    service,
    held,
    /** From now on the handlers do not wait any more. */
    releaseAll: () => {
      isHolding = false;
      for (const one of held) one.release();
    },
    pass: (milliseconds: number) => void (now = new Date(now.getTime() + milliseconds)),
  };
}

type Sender = { readonly businessid: string } | { readonly client: string };

async function send(
  service: Service,
  verb: Verb,
  sender: Sender,
  { timeoutMs = 20_000, text = "" } = {},
) {
  const deadline = new Date(service.clock().getTime() + timeoutMs);
  const params = { code: "abc" };
  const context = { requestid: "req_test", deadline, params, ...sender };
  const reply = await sendRequest(service, operations[verb], context, bodyOf(verb, text));
  if (!reply.ok) throw new Error(reply.error.logText);
  return { status: reply.value.status, retryAfter: reply.value.retryAfter };
}

function bodyOf(verb: Verb, text: string): Uint8Array | undefined {
  const takesBody = verb === "createNote" || verb === "describeNote";
  return takesBody ? Buffer.from(JSON.stringify({ text })) : undefined;
}

/** Sends all that the queue of `sender` takes, then one of `other`. */
async function flood(
  { service, held }: Awaited<ReturnType<typeof startHolding>>,
  verb: Verb,
  { sender, other, share }: { sender: Sender; other: Sender; share: number },
) {
  const greedy = Array.from({ length: 12 * share }, async () => send(service, verb, sender));
  const modest = send(service, verb, other);
  await eventually(() => expect(held).toHaveLength(share + 1));
  return { greedy, modest };
}

describe.each(["listNotes", "testNote"] as const)("%s of a greedy business", (verb) => {
  it("run at most two at once, and delay no other business", async () => {
    const serving = await startHolding();
    const { service, releaseAll } = serving;
    const [sender, other] = [{ businessid: "greedy" }, { businessid: "modest" }];
    const { greedy, modest } = await flood(serving, verb, { sender, other, share: 2 });
    const create = send(service, "createNote", sender);
    await eventually(() => serving.held.some((one) => one.verb === "createNote"));
    releaseAll();
    const statuses = (await Promise.all([...greedy, modest, create])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });
});

describe("lists of a greedy business", () => {
  it("are answered 503 with Retry-After when they exceed the business's queue", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const sender = { businessid: "greedy" };
    const all = Array.from({ length: 2 + 250 + 5 }, async () => send(service, "listNotes", sender));
    const refused = await Promise.race(all);
    expect(refused).toEqual({ status: 503, retryAfter: "2" });
    const modest = send(service, "listNotes", { businessid: "modest" });
    await eventually(() => expect(held).toHaveLength(2 + 1));
    releaseAll();
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
    expect((await modest).status).toBe(200);
    expect(await samplesOf(service, /requests_dropped/)).toEqual([
      'malipo_requests_dropped_total{reason="share",service="gateway"} 5',
    ]);
  });
});

describe("a list that is answered at its deadline", () => {
  it("keeps its turn until its handler is done", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const sender = { businessid: "one" };
    const late = [0, 1].map(async () => send(service, "listNotes", sender, { timeoutMs: 500 }));
    await Promise.allSettled(late);
    await eventually(() => held.length === 2);
    const next = send(service, "listNotes", sender);
    // A request that runs at once arrives after the list, so the list had its chance.
    const create = send(service, "createNote", sender);
    await eventually(() => held.some((one) => one.verb === "createNote"));
    expect(held.map((one) => one.verb)).toEqual(["listNotes", "listNotes", "createNote"]);
    releaseAll();
    expect([(await next).status, (await create).status]).toEqual([200, 200]);
  });
});

describe("records", () => {
  it("of one business leave places to others, and to small creations", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const [sender, other] = [{ businessid: "greedy" }, { businessid: "modest" }];
    const greedy = Array.from({ length: 400 }, async () => send(service, "getNote", sender));
    const others = [
      send(service, "getNote", other),
      send(service, "createNote", other),
      send(service, "createNote", sender),
    ];
    await eventually(() => expect(held).toHaveLength(24 + 3));
    releaseAll();
    for (const { status } of await Promise.all([...greedy, ...others])) expect(status).toBe(200);
  });

  it("are not started after their deadline", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll, pass } = serving;
    const sender = { businessid: "one" };
    const running = Array.from({ length: 24 }, async () => send(service, "getNote", sender));
    await eventually(() => held.length === 24);
    await expect(send(service, "getNote", sender, { timeoutMs: 500 })).rejects.toThrow("not reply");
    const next = send(service, "getNote", sender);
    pass(500);
    releaseAll();
    for (const { status } of await Promise.all([...running, next])) expect(status).toBe(200);
    expect(held).toHaveLength(25);
  });
});

describe("the largest bodies", () => {
  const text = "x".repeat(256 * 1_024 - 32);

  it("of one business take half of the room, and eight of them run at once", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const [sender, other] = [{ businessid: "greedy" }, { businessid: "modest" }];
    const all = Array.from({ length: 64 }, async () =>
      send(service, "createNote", sender, { text }),
    );
    await eventually(() => expect(held).toHaveLength(8));
    expect(await Promise.race(all)).toEqual({ status: 503, retryAfter: "1" });
    const others = [
      send(service, "createNote", other, { text }),
      send(service, "getNote", other),
      send(service, "describeNote", other),
    ];
    await eventually(() => expect(held).toHaveLength(8 + 3));
    releaseAll();
    for (const { status } of await Promise.all(others)) expect(status).toBe(200);
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(31);
  });

  it("leave the calls of services their room", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const all = Array.from({ length: 1_000 }, async (_, index) =>
      send(service, "createNote", { businessid: `business ${index}` }),
    );
    await eventually(() => expect(held).toHaveLength(1_000));
    const sender = { businessid: "another" };
    expect((await send(service, "createNote", sender)).status).toBe(503);
    const described = send(service, "describeNote", sender);
    releaseAll();
    for (const { status } of await Promise.all([...all, described])) expect(status).toBe(200);
  });
});

describe.each([
  ["showNote", 8],
  ["printNote", 4],
] as const)("%s", (verb, share) => {
  it(`runs for one address at most ${share} at once, and delays no other address`, async () => {
    const serving = await startHolding();
    const [sender, other] = [{ client: "192.0.2.1" }, { client: "192.0.2.2" }];
    const { greedy, modest } = await flood(serving, verb, { sender, other, share });
    serving.releaseAll();
    for (const { status } of await Promise.all([...greedy, modest])) expect(status).toBe(200);
  });
});

describe("pages of greedy addresses", () => {
  it("let a visitor have the next turn", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const greedy = Array.from({ length: 200 }, async (_, index) =>
      send(service, "showNote", { client: `192.0.2.${index % 4}` }),
    );
    await eventually(() => expect(held).toHaveLength(32));
    const modest = send(service, "showNote", { client: "192.0.2.9" });
    // A request that runs at once arrives after the page, so the page waits now.
    const create = send(service, "createNote", { businessid: "one" });
    await eventually(() => held.some((one) => one.verb === "createNote"));
    held.shift()?.release();
    await eventually(() => expect(held).toHaveLength(32 + 1));
    expect(held.at(-1)?.client).toBe("192.0.2.9");
    releaseAll();
    for (const { status } of await Promise.all([...greedy, modest, create]))
      expect(status).toBe(200);
  });
});
