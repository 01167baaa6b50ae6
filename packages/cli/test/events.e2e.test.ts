import { eventSubject, streamName } from "@malipo/contracts";
import { eventually, readEvents, useSystem } from "@malipo/testing";
import { jetstream, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createOperator } from "./malipo.ts";

const system = useSystem(["invoice", "payment", "subscription"], { ownProcess: ["invoice"] });
const operator = createOperator(system);
const recoveryMs = 20_000;
let nats: NatsConnection;

beforeAll(async () => {
  nats = await connect({ servers: system.servers.natsUrl });
});
afterAll(async () => nats.close());

async function sendUnreadable(text: string): Promise<void> {
  await jetstream(nats).publish(eventSubject(system.servers.namespace, "product.created"), text);
}

async function listDeadLetters(): Promise<Record<string, unknown>[]> {
  return operator.list("dead", "list");
}

async function readEventIds(): Promise<string[]> {
  return (await readEvents(system.servers)).map(({ id }) => id);
}

/** Deletes the event stream and waits until the gateway has created it again, empty. */
async function loseStream(): Promise<void> {
  const manager = await jetstreamManager(nats);
  await manager.streams.delete(streamName(system.servers.namespace, "event"));
  await eventually(async () => (await readEventIds()).length === 0, recoveryMs);
}

/** Waits until there are `count` dead letters: the previous test may have left replays under way. */
async function waitForDeadLetters(count: number): Promise<Record<string, unknown>[]> {
  return eventually(async () => {
    const found = await listDeadLetters();
    expect(found).toHaveLength(count);
    return found;
  }, recoveryMs);
}

describe("malipo dead", () => {
  it("list is empty at first", async () => {
    expect(await listDeadLetters()).toEqual([]);
    const { stdout } = await operator.run("dead", "list");
    expect(stdout).toBe("No dead letters here.\n");
  });

  it("list shows dead letters with their reason, and takes --from and --limit", async () => {
    await sendUnreadable("neither JSON");
    await sendUnreadable("nor an event");
    const [first, second] = await waitForDeadLetters(2);
    expect(first).toEqual({
      seq: 1,
      consumer: "gateway-on-product-created",
      event: expect.any(String),
      reason: expect.stringContaining("unreadable"),
      at: expect.stringMatching(/Z$/),
      body: "neither JSON",
    });
    expect(await operator.list("dead", "list", "--from", "2")).toEqual([second]);
    expect(await operator.list("dead", "list", "--limit", "1")).toEqual([first]);
    const { stdout } = await operator.run("dead", "list", "--limit", "1");
    expect(stdout).toMatch(/^SEQ {2}AT +CONSUMER +EVENT +REASON\n1 {4}2/);
    expect(stdout).toContain("go on with --from 2.");
  });

  it("replay removes one dead letter, and the event becomes a dead letter again when it still fails", async () => {
    expect(await operator.record("dead", "replay", "1")).toEqual({ seq: 1 });
    const after = await eventually(async () => {
      const found = await listDeadLetters();
      expect(found.map(({ seq }) => seq)).toEqual([2, 3]);
      return found;
    }, recoveryMs);
    expect(after[1]).toMatchObject({ body: "neither JSON" });
    const gone = await operator.run("dead", "replay", "1");
    expect(gone).toMatchObject({ code: 1, stdout: "", stderr: "Dead letter not found.\n" });
  });

  it("replay --all replays each dead letter once, even when its event fails again at once", async () => {
    const before = await waitForDeadLetters(2);
    const replayed = await operator.list("dead", "replay", "--all");
    expect(replayed).toEqual(before.map(({ seq }) => ({ seq })));
    const after = await waitForDeadLetters(2);
    expect(after.map(({ body }) => String(body)).sort()).toEqual(["neither JSON", "nor an event"]);
    const { code, stdout } = await operator.run("dead", "replay", "--all");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^REPLAYED\n\d+\n\d+\n$/);
  });

  it("replay needs either a number or --all", async () => {
    for (const args of [[], ["1", "--all"], ["one"]]) {
      expect((await operator.run("dead", "replay", ...args)).code).toBe(2);
    }
  });
});

describe("malipo events resend", () => {
  it("publishes every event of a lost stream again", async () => {
    await loseStream();
    for (const title of ["Unga", "Chai", "Sukari"]) {
      await system.api("POST", "/business/product/create", { title, price: 100 });
    }
    await operator.record("business", "suspend", system.business.businessid);
    await operator.record("business", "resume", system.business.businessid);
    const before = await eventually(async () => {
      const ids = await readEventIds();
      expect(ids.length).toBeGreaterThanOrEqual(5);
      return ids;
    }, recoveryMs);
    await loseStream();

    const resent = await operator.list("events", "resend", "--since", "1d");
    expect(resent).toEqual([
      { service: "gateway", sent: expect.any(Number) },
      { service: "invoice", sent: 3 },
      { service: "payment", sent: expect.any(Number) },
      { service: "subscription", sent: 0 },
    ]);
    const after = await readEventIds();
    expect(after).toEqual(expect.arrayContaining(before));

    const again = await operator.run("events", "resend");
    expect(again.code).toBe(0);
    expect(again.stdout).toMatch(
      /^SERVICE +EVENTS SENT\ngateway +\d+\ninvoice +3\npayment +\d+\nsubscription +0\n$/,
    );
    expect(again.stderr).toMatch(/^gateway: \d+ sent\n(\w+: \d+ sent\n)*$/);
  });

  it("takes one service and a start time", async () => {
    const resend = ["events", "resend", "--service", "invoice", "--since"] as const;
    expect(await operator.list(...resend, "2000-01-01")).toEqual([{ service: "invoice", sent: 3 }]);
    expect(await operator.list(...resend, "2100-01-01T00:00:00Z")).toEqual([
      { service: "invoice", sent: 0 },
    ]);
    const unknown = await operator.run("events", "resend", "--service", "invoic");
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain("Did you mean invoice?");
  });

  it("follows the cursor until all events are resent", async () => {
    const collection = system.database("invoice").collection("products");
    const { _id, ...product } = (await collection.findOne()) ?? {};
    const copies = Array.from({ length: 450 }, () => ({ ...product }));
    await collection.insertMany(copies);
    const [{ sent } = {}] = await operator.list("events", "resend", "--service", "invoice");
    expect(sent).toBe(453);
  });

  it("fails when the service does not run", async () => {
    await system.gateway().services["invoice"]?.stop();
    const ended = await operator.run("events", "resend", "--service", "invoice", "--json");
    expect(ended).toEqual({ code: 1, stdout: "", stderr: "Service unavailable.\n" });
  });
});
