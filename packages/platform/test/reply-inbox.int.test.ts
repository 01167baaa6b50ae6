import { freshNamespace, useSharedServers } from "@malipo/testing";
import { headers } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { NoReply, NoResponder, openReplyInbox } from "../src/nats/reply-inbox.ts";

const shared = useSharedServers();

/** A reply inbox, and a subject without a subscriber until the test adds one. */
async function openTest() {
  const nats = await connect({ servers: shared.natsUrl, noAsyncTraces: true });
  onTestFinished(() => nats.close());
  const ask = openReplyInbox(nats, "_INBOX.test");
  const subject = `${freshNamespace()}.rpc.test`;
  const send = async (text: string, timeoutMs = 5_000, to = subject) => {
    const reply = await ask({
      subject: to,
      body: Buffer.from(text),
      headers: (correlationId) => {
        const written = headers();
        written.set("correlation", correlationId);
        return written;
      },
      timeoutMs,
    });
    return reply.string();
  };
  return { nats, subject, send };
}

it("gives each request its own reply when replies arrive in another order", async () => {
  const { nats, subject, send } = await openTest();
  const asked: (() => void)[] = [];
  nats.subscribe(subject, {
    callback: (_error, message) => {
      asked.push(() => message.respond(`re: ${message.string()}`));
      if (asked.length === 3) for (const answer of asked.toReversed()) answer();
    },
  });
  expect(await Promise.all([send("a"), send("b"), send("c")])).toEqual(["re: a", "re: b", "re: c"]);
});

it("accepts an empty reply", async () => {
  const { nats, subject, send } = await openTest();
  nats.subscribe(subject, { callback: (_error, message) => void message.respond() });
  expect(await send("a")).toBe("");
});

it("rejects at once when no service subscribes to the subject", async () => {
  const { send } = await openTest();
  await expect(send("a")).rejects.toThrow(NoResponder);
});

it("rejects after its timeout, and ignores a reply that arrives later", async () => {
  const { nats, subject, send } = await openTest();
  const late = Promise.withResolvers<() => void>();
  nats.subscribe(subject, {
    callback: (_error, message) => {
      if (message.string() !== "slow") message.respond("quick");
      else late.resolve(() => message.respond("too late"));
    },
  });
  const started = performance.now();
  await expect(send("slow", 50)).rejects.toThrow(NoReply);
  expect(performance.now() - started).toBeGreaterThanOrEqual(49);
  (await late.promise)();
  expect(await send("other")).toBe("quick");
});

it("reuses a reply slot, except that of a request whose reply never came", async () => {
  const { nats, subject, send } = await openTest();
  const slots: (string | undefined)[] = [];
  nats.subscribe(subject, {
    callback: (_error, message) => {
      slots.push(message.reply);
      if (message.string() !== "slow") message.respond("here");
    },
  });
  for (const text of ["first", "second", "slow", "last"]) {
    await Promise.allSettled([send(text, text === "slow" ? 50 : 5_000)]);
  }
  const [first, second, slow, last] = slots;
  expect(second).toBe(first);
  expect(slow).toBe(first);
  expect(last).not.toBe(slow);
});

it("ignores a reply with the correlation id of another request", async () => {
  const { nats, subject, send } = await openTest();
  nats.subscribe(subject, {
    callback: (_error, message) => {
      const correlationId = message.headers?.get("correlation") ?? "";
      message.respond("another's", { reply: `${correlationId}0` });
      message.respond("its own", { reply: correlationId });
    },
  });
  expect(await Promise.all([send("a"), send("b")])).toEqual(["its own", "its own"]);
});

it("sends the other requests when one cannot be sent", async () => {
  const { nats, subject, send } = await openTest();
  nats.subscribe(subject, { callback: (_error, message) => void message.respond("here") });
  const outcomes = await Promise.allSettled([send("a", 5_000, "no subject"), send("b")]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { name: "NoReply" } },
    { status: "fulfilled", value: "here" },
  ]);
});

it("rejects pending requests when the connection is closed", async () => {
  const { nats, subject, send } = await openTest();
  const received = Promise.withResolvers<void>();
  nats.subscribe(subject, { callback: () => received.resolve() });
  const pending = send("a");
  await Promise.all([
    expect(pending).rejects.toThrow(NoReply),
    received.promise.then(() => nats.close()),
  ]);
});
