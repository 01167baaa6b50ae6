import { freshNamespace, useSharedServers } from "@malipo/testing";
import { headers } from "@nats-io/nats-core";
import { connect } from "@nats-io/transport-node";
import { expect, it, onTestFinished } from "vitest";
import { NoAnswer, NobodyServes, openInbox } from "../src/nats/reply-inbox.ts";

const shared = useSharedServers();

/** An inbox, and a subject on which nobody is heard until a test says who. */
async function inbox() {
  const nats = await connect({ servers: shared.natsUrl, noAsyncTraces: true });
  onTestFinished(() => nats.close());
  const ask = openInbox(nats, "_INBOX.test");
  const subject = `${freshNamespace()}.rpc.test`;
  const send = async (text: string, patienceMs = 5_000, to = subject) => {
    const reply = await ask({
      subject: to,
      body: Buffer.from(text),
      headers: (ticket) => {
        const written = headers();
        written.set("ticket", ticket);
        return written;
      },
      patienceMs,
    });
    return reply.string();
  };
  return { nats, subject, send };
}

it("gives everybody their own answer, in whatever order the answers come", async () => {
  const { nats, subject, send } = await inbox();
  const asked: (() => void)[] = [];
  nats.subscribe(subject, {
    callback: (_error, message) => {
      asked.push(() => message.respond(`re: ${message.string()}`));
      if (asked.length === 3) for (const answer of asked.toReversed()) answer();
    },
  });
  expect(await Promise.all([send("a"), send("b"), send("c")])).toEqual(["re: a", "re: b", "re: c"]);
});

it("takes an empty answer for an answer", async () => {
  const { nats, subject, send } = await inbox();
  nats.subscribe(subject, { callback: (_error, message) => void message.respond() });
  expect(await send("a")).toBe("");
});

it("says at once when nobody serves", async () => {
  const { send } = await inbox();
  await expect(send("a")).rejects.toThrow(NobodyServes);
});

it("gives up when its patience ends, and is not confused by an answer after that", async () => {
  const { nats, subject, send } = await inbox();
  const late = Promise.withResolvers<() => void>();
  nats.subscribe(subject, {
    callback: (_error, message) => {
      if (message.string() !== "slow") message.respond("quick");
      else late.resolve(() => message.respond("too late"));
    },
  });
  const started = performance.now();
  await expect(send("slow", 50)).rejects.toThrow(NoAnswer);
  expect(performance.now() - started).toBeGreaterThanOrEqual(49);
  (await late.promise)();
  expect(await send("other")).toBe("quick");
});

it("has the next answer come to the same place, and not to one whose answer may still come", async () => {
  const { nats, subject, send } = await inbox();
  const places: (string | undefined)[] = [];
  nats.subscribe(subject, {
    callback: (_error, message) => {
      places.push(message.reply);
      if (message.string() !== "slow") message.respond("here");
    },
  });
  for (const text of ["first", "second", "slow", "last"]) {
    await Promise.allSettled([send(text, text === "slow" ? 50 : 5_000)]);
  }
  const [first, second, slow, last] = places;
  expect(second).toBe(first);
  expect(slow).toBe(first);
  expect(last).not.toBe(slow);
});

it("takes no answer that names another request", async () => {
  const { nats, subject, send } = await inbox();
  nats.subscribe(subject, {
    callback: (_error, message) => {
      const ticket = message.headers?.get("ticket") ?? "";
      message.respond("another's", { reply: `${ticket}0` });
      message.respond("its own", { reply: ticket });
    },
  });
  expect(await Promise.all([send("a"), send("b")])).toEqual(["its own", "its own"]);
});

it("does not let one that cannot be sent keep the others from it", async () => {
  const { nats, subject, send } = await inbox();
  nats.subscribe(subject, { callback: (_error, message) => void message.respond("here") });
  const outcomes = await Promise.allSettled([send("a", 5_000, "no subject"), send("b")]);
  expect(outcomes).toMatchObject([
    { status: "rejected", reason: { name: "NoAnswer" } },
    { status: "fulfilled", value: "here" },
  ]);
});

it("keeps nobody waiting when the connection is closed for good", async () => {
  const { nats, subject, send } = await inbox();
  const heard = Promise.withResolvers<void>();
  nats.subscribe(subject, { callback: () => heard.resolve() });
  const asking = send("a");
  await Promise.all([
    expect(asking).rejects.toThrow(NoAnswer),
    heard.promise.then(() => nats.close()),
  ]);
});
