import { listQuery, page, route } from "@malipo/contracts";
import { type Fault, ok, type Result } from "@malipo/core";
import { eventually, inOwnNamespace, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { z } from "zod";
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
    reply: { status: 200, data },
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
} as const;
type Verb = keyof typeof operations;

/** A service whose handlers wait, and the requests that they hold. */
async function startHolding() {
  const service = await openTestService(inOwnNamespace(shared));
  const held: { readonly verb: Verb; release(): void }[] = [];
  const handlerOf = (verb: Verb) => () => async (): Promise<Result<unknown, Fault>> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push({ verb, release: resolve });
    await promise;
    return ok({ data: [], bytes: "note" });
  };
  const handlers = {
    listNotes: handlerOf("listNotes"),
    testNote: handlerOf("testNote"),
    createNote: handlerOf("createNote"),
    showNote: handlerOf("showNote"),
  };
  await serveRoutes(service, handlers, {}, operations);
  return {
    service,
    held,
    releaseAll: async (until: Promise<unknown>) => {
      let isDone = false;
      void until.finally(() => (isDone = true));
      await eventually(() => {
        for (const one of held.splice(0)) one.release();
        return isDone;
      });
    },
  };
}

type Sender = { readonly businessid: string } | { readonly address: string };

async function send(service: Service, verb: Verb, sender: Sender) {
  const deadline = new Date(Date.now() + 20_000);
  const params = { code: "abc" };
  const context = { requestid: "req_test", deadline, params, ...sender };
  const reply = await sendRequest(service, operations[verb], context, undefined);
  if (!reply.ok) throw new Error(reply.error.logText);
  return { status: reply.value.status, retryAfter: reply.value.retryAfter };
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
  it("run at most four at once, and delay no other business", async () => {
    const serving = await startHolding();
    const { service, releaseAll } = serving;
    const [sender, other] = [{ businessid: "greedy" }, { businessid: "modest" }];
    const { greedy, modest } = await flood(serving, verb, { sender, other, share: 4 });
    const create = send(service, "createNote", sender);
    await eventually(() => serving.held.some((one) => one.verb === "createNote"));
    await releaseAll(Promise.all([...greedy, modest, create]));
    const statuses = (await Promise.all([...greedy, modest, create])).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  });

  it("are answered 503 with Retry-After when they exceed the business's queue", async () => {
    const serving = await startHolding();
    const { service, held, releaseAll } = serving;
    const sender = { businessid: "greedy" };
    const all = Array.from({ length: 4 + 250 + 5 }, async () => send(service, verb, sender));
    const refused = await Promise.race(all);
    expect(refused).toEqual({ status: 503, retryAfter: "2" });
    const modest = send(service, verb, { businessid: "modest" });
    await eventually(() => expect(held).toHaveLength(4 + 1));
    await releaseAll(Promise.all([...all, modest]));
    const statuses = (await Promise.all(all)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 503)).toHaveLength(5);
    expect((await modest).status).toBe(200);
    expect(await samplesOf(service, /requests_dropped/)).toEqual([
      'malipo_requests_dropped_total{reason="share",service="gateway"} 5',
    ]);
  });
});

describe("pages", () => {
  it("of one address run at most eight at once, and delay no other address", async () => {
    const serving = await startHolding();
    const [sender, other] = [{ address: "192.0.2.1" }, { address: "192.0.2.2" }];
    const { greedy, modest } = await flood(serving, "showNote", { sender, other, share: 8 });
    await serving.releaseAll(Promise.all([...greedy, modest]));
    for (const { status } of await Promise.all([...greedy, modest])) expect(status).toBe(200);
  });
});
