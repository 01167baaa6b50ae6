import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { EventEnvelope } from "@malipo/contracts";
import { eventually, publishEvents, temporaryFolder, useSystem } from "@malipo/testing";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { runMalipo, type Running, startMalipo } from "./malipo.ts";

const system = useSystem(["webhook"], { ownProcess: ["gateway", "webhook"] });
const recoveryMs = 20_000;
let eventCount = 0;

function createEvent(type: EventEnvelope["type"] = "payment.completed"): EventEnvelope {
  eventCount += 1;
  const recordid = eventCount.toString(16).padStart(24, "0");
  return {
    id: `evt_${recordid}`,
    type,
    seq: eventCount,
    businessid: system.business.businessid,
    recordid,
    at: new Date().toISOString(),
    data: {
      transactionid: recordid,
      checkoutrequestid: "ws_CO_191220191020363925",
      amount: 1500.5,
      phone: "254712345678",
      momoreceiptnumber: "NLJ7RT61SV",
      referenceid: "maziwa na sukari ☕",
      status: "completed",
      reason: null,
    },
    inside: { invoiceid: null, subscriptionid: null, customerid: null, paymentlinkid: null },
  };
}

const publish = async (...events: EventEnvelope[]) => publishEvents(system.servers, events);

const workspace = temporaryFolder();

/** Writes the environment file that `npm start` writes. */
beforeAll(() => {
  mkdirSync(join(workspace, ".local"));
  const { apiUrl: apiurl } = system.gateway();
  const { secret } = system.business;
  writeFileSync(join(workspace, ".local/environment.json"), JSON.stringify({ apiurl, secret }));
});

async function listen(...args: string[]): Promise<Running> {
  const running = startMalipo(["webhook", "listen", ...args], { folder: workspace });
  onTestFinished(() => running.interrupt());
  await eventually(() => {
    const { stdout, stderr } = running.texts;
    expect(stdout + stderr).toContain("Ctrl-C ends it");
  }, recoveryMs);
  return running;
}

/** An HTTP server to which events are forwarded. */
interface Receiver {
  readonly url: string;
  readonly received: { headers: IncomingHttpHeaders; body: string }[];
  status: number;
  readonly server: Server;
}

async function startReceiver(port = 0): Promise<Receiver> {
  const receiver: Receiver = { url: "", received: [], status: 200, server: createServer() };
  receiver.server.on("request", (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      receiver.received.push({ headers: request.headers, body });
      response.writeHead(receiver.status, { location: "/elsewhere" }).end();
    });
  });
  receiver.server.listen(port, "127.0.0.1");
  await once(receiver.server, "listening");
  onTestFinished(() => void receiver.server.close());
  const address = receiver.server.address() as AddressInfo;
  return Object.assign(receiver, { url: `http://127.0.0.1:${address.port}/hook` });
}

function verifySignature(secret: string, { headers, body }: Receiver["received"][number]) {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** The event ids that `--json` has printed so far. */
function readShownIds({ texts }: Running): string[] {
  const lines = texts.stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { eventid: string }).eventid);
}

describe("malipo webhook listen", () => {
  it("sends and lists new events, signed with the secret that it shows", async () => {
    const receiver = await startReceiver();
    await publish(createEvent());
    const running = await listen("--forward", receiver.url);
    const paid = createEvent();
    await publish(paid, createEvent());
    await eventually(() => expect(receiver.received).toHaveLength(2), recoveryMs);

    const [secret = ""] = /whsec_\S+/.exec(running.texts.stdout) ?? [];
    const [first] = receiver.received;
    if (!first) throw new Error("no event arrived");
    expect(verifySignature(secret, first)).toEqual({
      id: paid.id,
      type: "payment.completed",
      created: paid.at,
      data: paid.data,
    });
    expect(first.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": paid.id,
      "webhook-resource": paid.recordid,
      "webhook-sequence": String(paid.seq),
    });
    running.interrupt();
    const { code, stdout, stderr } = await running.ended;
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(
        `\\d\\d:\\d\\d:\\d\\d  payment\\.completed +${paid.recordid}  #${paid.seq} +200 \\(\\d+ ms\\)\\n`,
      ),
    );
    expect(stdout).toMatch(/2 events sent and accepted\.\n$/);
  });

  it("shows why an event was not accepted, and continues", async () => {
    const receiver = await startReceiver();
    receiver.status = 302;
    const { port } = receiver.server.address() as AddressInfo;
    const running = await listen("--forward", receiver.url);
    await publish(createEvent());
    const waitForOutput = async (text: string) =>
      eventually(() => expect(running.texts.stdout).toContain(text), recoveryMs);
    await waitForOutput("FAILED: answered 302");
    receiver.server.close();
    receiver.server.closeAllConnections();
    await once(receiver.server, "close");
    await publish(createEvent());
    await waitForOutput("FAILED: connection refused");
    const restarted = await startReceiver(port);
    await publish(createEvent());
    await waitForOutput("200 (");
    expect(restarted.received).toHaveLength(1);
    running.interrupt();
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("3 events sent, 2 of them not accepted: --replay or --since");
  });

  it("replays earlier events of the chosen types since the given time", async () => {
    const [old, wanted, other] = [createEvent(), createEvent("payment.initiated"), createEvent()];
    const at = new Date(Date.now() - 3_600_000).toISOString();
    await publish({ ...old, type: "payment.failed", at }, wanted, other);
    const all = await listen("--replay", "--json", "--events", "payment.failed,payment.initiated");
    const latest = await listen(
      "--since",
      "30m",
      "--json",
      "--events",
      "payment.failed, payment.initiated",
    );
    await eventually(() => expect(readShownIds(all)).toEqual([old.id, wanted.id]), recoveryMs);
    await eventually(() => expect(readShownIds(latest)).toEqual([wanted.id]), recoveryMs);
    const live = createEvent("payment.initiated");
    await publish(live);
    await eventually(
      () => expect(readShownIds(all)).toEqual([old.id, wanted.id, live.id]),
      recoveryMs,
    );
    const [line = ""] = all.texts.stdout.split("\n");
    expect(JSON.parse(line)).toMatchObject({ sequence: old.seq, body: { type: "payment.failed" } });
    all.interrupt();
    expect(await all.ended).toMatchObject({ code: 0 });
  });

  it("misses no event during a restart of the gateway or the webhook service", async () => {
    const receiver = await startReceiver();
    const running = await listen("--forward", receiver.url);
    const waitForOutput = async (text: string) =>
      eventually(() => expect(running.texts.stdout).toContain(text), recoveryMs);
    const { gateway, webhook } = system.gateway().services;
    await gateway?.stop();
    await waitForOutput("connection refused. Is it running? Trying again until it answers.");
    const events = [createEvent(), createEvent()];
    await publish(...events);
    await gateway?.start();
    await eventually(() => expect(receiver.received).toHaveLength(2), recoveryMs);
    await waitForOutput("The API answers again.");
    await webhook?.stop();
    await waitForOutput("Service unavailable. Trying again until it answers.");
    await webhook?.start();
    await publish(createEvent());
    await eventually(() => expect(receiver.received).toHaveLength(3), recoveryMs);
    expect(receiver.received.slice(0, 2).map(({ headers }) => headers["webhook-id"])).toEqual(
      events.map(({ id }) => id),
    );
  });

  it("lists from the oldest event again when the event log was lost", async () => {
    const running = await listen("--json");
    const database = system.database("webhook");
    const { webhook } = system.gateway().services;
    await webhook?.stop();
    await database.collection("logs").deleteMany({});
    await database.collection("eventlog").deleteMany({});
    await webhook?.start();
    const event = createEvent();
    await publish(event);
    await eventually(() => expect(running.texts.stdout).toContain(event.id), recoveryMs);
    expect(running.texts.stderr).toContain("The event log was reset");
  });

  it("ends when the business's secret is wrong or revoked", async () => {
    const { apiUrl } = system.gateway();
    const wrong = { env: { MALIPO_URL: apiUrl, MALIPO_SECRET: "wrong" } };
    expect(await runMalipo(["webhook", "listen"], wrong)).toEqual({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining("does not know this business's secret"),
    });
    const { data: key } = (
      await system.operator("POST", `/operator/key/issue/${system.business.businessid}`)
    ).body as { data: { _id: string; secret: string } };
    const running = startMalipo(["webhook", "listen", "--url", apiUrl, "--token", key.secret]);
    await eventually(() => expect(running.texts.stdout).toContain("Ctrl-C"), recoveryMs);
    await system.operator("POST", `/operator/key/revoke/${key._id}`);
    expect(await running.ended).toMatchObject({ code: 1 });
  });

  it("ends with a usage error before any request when a flag is invalid", async () => {
    const ended = await runMalipo(["webhook", "listen", "--events", "invoice.payed"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("Did you mean invoice.paid?");
  });
});
