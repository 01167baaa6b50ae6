import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import type { EventEnvelope } from "@malipo/contracts";
import { eventually, publishEvents, temporaryFolder, useSystem } from "@malipo/testing";
import { Webhook } from "standardwebhooks";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { malipo, type Running, startMalipo } from "./malipo.ts";

const system = useSystem(["webhook"]);
const recoveryMs = 20_000;
let made = 0;

function anEvent(type: EventEnvelope["type"] = "payment.completed"): EventEnvelope {
  made += 1;
  const recordid = made.toString(16).padStart(24, "0");
  return {
    id: `evt_${recordid}`,
    type,
    seq: made,
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

const happens = async (...events: EventEnvelope[]) => publishEvents(system.servers, events);

const workspace = temporaryFolder();

/** As `npm start` leaves it. */
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

interface Developer {
  readonly url: string;
  readonly got: { headers: IncomingHttpHeaders; body: string }[];
  status: number;
  readonly server: Server;
}

async function startDeveloper(port = 0): Promise<Developer> {
  const developer: Developer = { url: "", got: [], status: 200, server: createServer() };
  developer.server.on("request", (request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      developer.got.push({ headers: request.headers, body });
      response.writeHead(developer.status, { location: "/elsewhere" }).end();
    });
  });
  developer.server.listen(port, "127.0.0.1");
  await once(developer.server, "listening");
  onTestFinished(() => void developer.server.close());
  const address = developer.server.address() as AddressInfo;
  return Object.assign(developer, { url: `http://127.0.0.1:${address.port}/hook` });
}

function verified(secret: string, { headers, body }: Developer["got"][number]) {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

/** What `--json` has shown so far. */
function idsShown({ texts }: Running): string[] {
  const lines = texts.stdout.split("\n").filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { eventid: string }).eventid);
}

describe("malipo webhook listen", () => {
  it("sends what happens, signed with the secret it shows, and lists it", async () => {
    const developer = await startDeveloper();
    await happens(anEvent());
    const running = await listen("--forward", developer.url);
    const paid = anEvent();
    await happens(paid, anEvent());
    await eventually(() => expect(developer.got).toHaveLength(2), recoveryMs);

    const [secret = ""] = /whsec_\S+/.exec(running.texts.stdout) ?? [];
    const [first] = developer.got;
    if (!first) throw new Error("nothing came");
    expect(verified(secret, first)).toEqual({
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
    expect(stdout).toMatch(/2 events sent and taken\.\n$/);
  });

  it("shows what was not taken, and goes on", async () => {
    const developer = await startDeveloper();
    developer.status = 302;
    const { port } = developer.server.address() as AddressInfo;
    const running = await listen("--forward", developer.url);
    await happens(anEvent());
    const says = async (text: string) =>
      eventually(() => expect(running.texts.stdout).toContain(text), recoveryMs);
    await says("FAILED: answered 302");
    developer.server.close();
    developer.server.closeAllConnections();
    await once(developer.server, "close");
    await happens(anEvent());
    await says("FAILED: connection refused");
    const again = await startDeveloper(port);
    await happens(anEvent());
    await says("200 (");
    expect(again.got).toHaveLength(1);
    running.interrupt();
    const { code, stdout } = await running.ended;
    expect(code).toBe(0);
    expect(stdout).toContain("3 events sent, 2 of them not taken: --replay or --since");
  });

  it("replays what was before, of the chosen types and since the given time", async () => {
    const [old, wanted, other] = [anEvent(), anEvent("payment.initiated"), anEvent()];
    const at = new Date(Date.now() - 3_600_000).toISOString();
    await happens({ ...old, type: "payment.failed", at }, wanted, other);
    const all = await listen("--replay", "--json", "--events", "payment.failed,payment.initiated");
    const latest = await listen(
      "--since",
      "30m",
      "--json",
      "--events",
      "payment.failed, payment.initiated",
    );
    await eventually(() => expect(idsShown(all)).toEqual([old.id, wanted.id]), recoveryMs);
    await eventually(() => expect(idsShown(latest)).toEqual([wanted.id]), recoveryMs);
    const live = anEvent("payment.initiated");
    await happens(live);
    await eventually(() => expect(idsShown(all)).toEqual([old.id, wanted.id, live.id]), recoveryMs);
    const [line = ""] = all.texts.stdout.split("\n");
    expect(JSON.parse(line)).toMatchObject({ sequence: old.seq, body: { type: "payment.failed" } });
    all.interrupt();
    expect(await all.ended).toMatchObject({ code: 0 });
  });

  it("outlives a restart of the gateway and of the service behind it, and misses nothing", async () => {
    const developer = await startDeveloper();
    const running = await listen("--forward", developer.url);
    const says = async (text: string) =>
      eventually(() => expect(running.texts.stdout).toContain(text), recoveryMs);
    const { gateway, webhook } = system.gateway().services;
    await gateway?.stop();
    await says("connection refused. Is it running? Trying again until it answers.");
    const events = [anEvent(), anEvent()];
    await happens(...events);
    await gateway?.start();
    await eventually(() => expect(developer.got).toHaveLength(2), recoveryMs);
    await says("It answers again.");
    await webhook?.stop();
    await says("Service unavailable. Trying again until it answers.");
    await webhook?.start();
    await happens(anEvent());
    await eventually(() => expect(developer.got).toHaveLength(3), recoveryMs);
    expect(developer.got.slice(0, 2).map(({ headers }) => headers["webhook-id"])).toEqual(
      events.map(({ id }) => id),
    );
  });

  it("begins the list anew when the log was lost", async () => {
    const running = await listen("--json");
    const database = system.database("webhook");
    const { webhook } = system.gateway().services;
    await webhook?.stop();
    await database.collection("logs").deleteMany({});
    await database.collection("eventlog").deleteMany({});
    await webhook?.start();
    const event = anEvent();
    await happens(event);
    await eventually(() => expect(running.texts.stdout).toContain(event.id), recoveryMs);
    expect(running.texts.stderr).toContain("begun anew");
  });

  it("ends when its secret is not taken, or not any more", async () => {
    const { apiUrl } = system.gateway();
    const wrong = { env: { MALIPO_URL: apiUrl, MALIPO_SECRET: "wrong" } };
    expect(await malipo(["webhook", "listen"], wrong)).toEqual({
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

  it("refuses what makes no sense before anything is asked", async () => {
    const ended = await malipo(["webhook", "listen", "--events", "invoice.payed"]);
    expect(ended).toMatchObject({ code: 2, stdout: "" });
    expect(ended.stderr).toContain("Did you mean invoice.paid?");
  });
});
