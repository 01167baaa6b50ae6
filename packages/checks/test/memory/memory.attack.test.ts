import { randomInt } from "node:crypto";
import { readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { type ServiceName, serviceNames } from "@malipo/contracts";
import { allServices, startSimulator, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import { linesOf, type Order } from "../largest-answers/catalogue-records.ts";
import { createLargestRecords, type LargestRecords } from "../largest-answers/largest-records.ts";
import { wide } from "../largest-answers/copies.ts";
import { podMemoryOf } from "./pod-memory.ts";

const concurrency = 900;
const attackMs = 8_000;

const simulator = await startSimulator();
const system = useSystem(allServices, {
  env: { MPESA_BASE_URL: simulator.url },
  envOf: (name) => ({ NODE_OPTIONS: podMemoryOf(name).nodeOptions }),
  ownProcess: serviceNames,
});

let records: LargestRecords;
beforeAll(async () => {
  records = await createLargestRecords(system);
}, 60_000);

interface Target {
  readonly method: string;
  readonly path: string;
  readonly body?: string;
}

const get = (path: string | undefined): Target => ({ method: "GET", path: String(path) });
const post = (path: string, body: object): Target => ({
  method: "POST",
  path,
  body: JSON.stringify(body),
});

const attacks: Readonly<Record<string, () => readonly Target[]>> = {
  "details of the largest records": () => {
    const { getInvoice, getSubscription, getPlan, getDelivery, getWebhook } = records.paths;
    return [getInvoice, getSubscription, getPlan, getDelivery, getWebhook].map(get);
  },
  "pages of the largest records": () => {
    const { listInvoices, listSubscriptions, listPlans, listProducts } = records.paths;
    const { listPaymentLinks, listTransactions, listWebhooks, listEvents } = records.paths;
    const ofInvoice = [listInvoices, listProducts, listSubscriptions, listPlans];
    return [...ofInvoice, listPaymentLinks, listTransactions, listWebhooks, listEvents].map(get);
  },
  searches: () => {
    const noun = ["invoice", "product", "subscription", "customer", "transaction"];
    return noun.map((each) =>
      get(`/business/${each}/list?limit=100&search=${"%E1%8A%A2".repeat(40)}`),
    );
  },
  "printed invoices and pay pages": () => {
    const { showInvoicePage, showInvoicePdf, showPayPage, showReceiptPdf, drawQrPng } =
      records.paths;
    return [showInvoicePage, showInvoicePdf, showPayPage, showReceiptPdf, drawQrPng].map(get);
  },
  "creations with the largest bodies": () => creationsOf(records.order),
  "everything at once": () =>
    Object.entries(attacks).flatMap(([name, of]) => (name === "everything at once" ? [] : of())),
};

function creationsOf(order: Order): readonly Target[] {
  const { customerid } = order;
  const invoice = { customerid, items: linesOf(order, { name: wide(200) }), duedate: "2099-01-01" };
  const items = linesOf(order, { title: wide(200) });
  const padding = "x".repeat(250_000);
  return [
    post("/business/invoice/create", invoice),
    post("/business/subscription/create", { customerid, items }),
    post("/business/subscription-plan/create", { title: "x", items }),
    post("/business/payment-link/create", { title: padding }),
    post("/business/webhook/create", { url: padding }),
    post("/business/payments/mobile/request", { referenceid: padding }),
  ];
}

describe("under an attack", () => {
  it.each(Object.entries(attacks))(
    "each service stays below its pod's limit: %s",
    async (_name, targetsOf) => {
      const pids = pidsOf();
      const statuses = await flood(targetsOf());
      const peaks = serviceNames.map((service) => [service, peakMb(pids[service])] as const);
      expect(pidsOf()).toEqual(pids);
      for (const [service, mb] of peaks)
        expect([service, mb < podMemoryOf(service).limitMb, mb]).toEqual([service, true, mb]);
      expect([...statuses.keys()].filter((status) => status === 500)).toEqual([]);
    },
  );
});

function pidsOf(): Readonly<Record<ServiceName, number | undefined>> {
  const { services } = system.gateway();
  const found = serviceNames.map((name) => [name, services[name]?.pid()]);
  return Object.fromEntries(found);
}

/** The largest resident memory that the process ever had. */
function peakMb(pid: number | undefined): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_024);
}

/** Answers how many answers had each status. 0 is a broken connection. */
async function flood(targets: readonly Target[]): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency });
  const statuses = new Map<number, number>();
  const untilMs = performance.now() + attackMs;
  await Promise.all(
    Array.from({ length: concurrency }, async (_, index) => {
      for (let sent = index; performance.now() < untilMs; sent += 1) {
        const target = targets[sent % targets.length];
        if (!target) return;
        const status = await send(agent, target);
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }),
  );
  agent.destroy();
  return statuses;
}

async function send(agent: Agent, { method, path, body }: Target): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  const headers = {
    authorization: system.business.secret,
    // No address reaches a limit, so that every request reaches its service.
    "x-forwarded-for": `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
    ...(body !== undefined && {
      "content-type": "application/json",
      "content-length": Buffer.byteLength(body),
    }),
  };
  const sent = request(system.gateway().apiUrl + path, { method, agent, headers }, (answer) => {
    answer.resume();
    answer.on("close", () => resolve(answer.statusCode ?? 0));
  });
  sent.on("error", () => resolve(0));
  sent.end(body);
  return promise;
}
