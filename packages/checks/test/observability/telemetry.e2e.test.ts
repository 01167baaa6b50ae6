import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { allServices, dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { type CollectedSpan, startCollector } from "./trace-collector.ts";
import { expressions } from "./dashboards-and-alerts.ts";
import { readQuery } from "./promql.ts";

const collector = await startCollector();
const receiver = await startReceiver();
const simulator = await startSimulator();
const system = useSystem(allServices, {
  // Trace context must travel in messages alone, so no two services share a process.
  ownProcess: ["gateway", ...allServices],
  env: {
    MPESA_BASE_URL: simulator.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
    OTEL_TRACES_SAMPLER_ARG: "1",
    LOG_LEVEL: "info",
    RETRY_DELAYS: "1",
  },
});
const { api } = system;
/** Spans are sent every two seconds, log lines four times a second. */
const timeoutMs = 15_000;

/** A receiver of webhooks that answers 500 once, so that there is a second attempt. */
async function startReceiver(): Promise<{ readonly url: string }> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    request.resume();
    response.writeHead(calls === 1 ? 500 : 200).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

describe("a trace of a request", () => {
  it("contains the request, its event and the webhook; a later attempt is linked", async () => {
    const url = receiver.url;
    await api("POST", "/business/webhook/create", { url, events: ["invoice.created"] });
    const customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
    const itemid = idIn(await api("POST", "/business/product/create", { title: "Unga", price: 9 }));
    const order = { customerid, duedate: "2040-01-31", items: [{ itemid, quantity: 1, rate: 9 }] };
    const clientTrace = "c".repeat(32);
    const created = await api("POST", "/business/invoice/create", order, {
      traceparent: `00-${clientTrace}-${"d".repeat(16)}-01`,
      "x-request-id": "a-request-to-follow",
    });
    expect(dataOf(created)["status"]).toBe("unpaid");

    const gatewaySpan = await eventually(() => {
      const found = collector.spans.find(({ name }) => name === "POST /business/invoice/create");
      if (!found) throw new Error("the span has not been sent yet");
      return found;
    }, timeoutMs);
    // The client's trace is linked, and does not become ours.
    expect(gatewaySpan.traceId).not.toBe(clientTrace);
    expect(gatewaySpan.links?.map(({ traceId }) => traceId)).toEqual([clientTrace]);
    const line = `"requestid":"a-request-to-follow","trace_id":"${gatewaySpan.traceId}"`;
    await eventually(() => {
      expect(system.gateway().services["gateway"]?.log()).toContain(line);
    }, timeoutMs);

    const { namespace } = system.servers;
    const path = [
      `gateway POST /business/invoice/create`,
      `gateway request ${namespace}.rpc.invoice.create-invoice`,
      `invoice process ${namespace}.rpc.invoice.create-invoice`,
      `invoice publish ${namespace}.event.invoice.created`,
      `webhook process ${namespace}.event.invoice.created`,
      `webhook POST`,
    ];
    const last = await eventually(() => {
      const found = collector.spans.find(
        ({ traceId, service, name }) =>
          traceId === gatewaySpan.traceId && service === "webhook" && name === "POST",
      );
      if (!found) throw new Error("the span has not been sent yet");
      return found;
    }, timeoutMs);
    await eventually(() => expect(pathTo(last)).toEqual(path), timeoutMs);
    await eventually(() => {
      const again = collector.spans.filter(
        ({ links, name }) =>
          name === "POST" && links?.some((it) => it.traceId === gatewaySpan.traceId),
      );
      expect(again).toHaveLength(1);
      expect(again[0]?.traceId).not.toBe(gatewaySpan.traceId);
    }, timeoutMs);
  });
});

describe("metrics", () => {
  it("include every metric and label that dashboards and alerts name", async () => {
    await api("GET", "/business/invoice/list?page=0");
    const pay = { amount: 10, phone: "254700000000", channel: "momo" };
    await api("POST", "/business/payments/mobile/request", pay, { "idempotency-key": "once" });
    const exported = await eventually(async () => {
      const metrics = await scrapeAll();
      const awaited = ["malipo_payments_total", "malipo_run_age_seconds", "malipo_callbacks_total"];
      for (const name of awaited) expect(metrics.get(name)?.labels.size).toBeGreaterThan(1);
      return metrics;
    }, timeoutMs);
    for (const [name, { labels }] of exported) {
      const reserved = targetLabels.filter((label) => labels.has(label));
      expect({ name, reserved }).toEqual({ name, reserved: [] });
    }
    for (const [where, expr] of expressions) {
      const { selectors, groupings } = readQuery(expr);
      for (const { metric: name, labels } of selectors) {
        if (name === "up") continue;
        const found = exported.get(name);
        expect({ where, name, exported: found !== undefined }).toMatchObject({ exported: true });
        // A metric without samples has no labels yet.
        if (!found || found.labels.size === 0) continue;
        const named = labels.map((label) => label.name);
        const required = new Set([...named, ...(selectors.length === 1 ? groupings.flat() : [])]);
        const missing = [...required].filter(
          (it) => !targetLabels.includes(it) && !found.labels.has(it),
        );
        expect({ where, name, missing }).toEqual({ where, name, missing: [] });
      }
    }
  });

  it("cover Node, rate limits, idempotency, outbox and consumers, and contain no id", async () => {
    const samples = [
      /^nodejs_eventloop_lag_p99_seconds\{service="webhook"\} /m,
      /^http_server_request_duration_seconds_count\{http_request_method="POST",http_route="\/business\/invoice\/create",http_response_status_code="201",service="gateway"\} 1$/m,
      /^messaging_process_duration_seconds_count\{messaging_destination_name="rpc.invoice.create-invoice",outcome="201",service="invoice"\} 1$/m,
      /^messaging_client_sent_messages_total\{messaging_destination_name="event.invoice.created",service="invoice"\} 1$/m,
      /^messaging_client_consumed_messages_total\{messaging_consumer_group_name="webhook-on-event",outcome="done",service="webhook"\} [1-9]/m,
      /^malipo_webhook_attempts_total\{outcome="refused",service="webhook"\} 1$/m,
      /^malipo_webhook_attempts_total\{outcome="delivered",service="webhook"\} [1-9]/m,
      /^malipo_prompts_total\{answer="accepted",service="payment"\} 1$/m,
      /^malipo_run_lag_seconds\{run_job="[a-z-]+",service="scheduler"\} \d/m,
      /^malipo_run_progress_ratio\{run_job="[a-z-]+",service="scheduler"\} \d/m,
      /^malipo_rate_limit_total\{outcome="allowed",service="gateway"\} [1-9]/m,
      /^malipo_idempotency_total\{outcome="claimed",service="gateway"\} 1$/m,
      /^malipo_outbox_oldest_seconds\{service="invoice"\} 0$/m,
      /^malipo_dead_letters\{service="gateway"\} 0$/m,
      /^malipo_suspense_shillings\{service="payment"\} 0$/m,
      /^malipo_payments_shillings_total\{service="payment"\} 10$/m,
      /^malipo_webhook_backlog_oldest_seconds\{service="webhook"\} 0/m,
      /^malipo_consumer_pending\{consumer="webhook-on-event",service="webhook"\} 0$/m,
      /^malipo_consumer_pending\{consumer="payment-callbacks",service="payment"\} 0$/m,
      /^malipo_compared_total\{wanted="invoice",outcome="missing",service="subscription"\} 0$/m,
      /^malipo_compared_total\{wanted="payment on an invoice",outcome="missing",service="payment"\} 0$/m,
      /^malipo_payment_surprises_total\{kind="overturned",service="payment"\} 0$/m,
      /^malipo_callbacks_total\{outcome="unstored",service="gateway"\} 0$/m,
      /^malipo_nats_away\{service="scheduler"\} 0$/m,
    ];
    const text = await eventually(async () => {
      const scraped = await scrapeText();
      for (const sample of samples) expect(scraped).toMatch(sample);
      return scraped;
    }, timeoutMs);
    expect(text).not.toMatch(/[0-9a-f]{24}/);
    expect(text).not.toContain(system.servers.namespace);
  });
});

/** Labels that Prometheus adds to each target: it renames or drops exported labels of these names. */
const targetLabels = ["job", "instance", "namespace", "pod"];

interface Exported {
  readonly labels: Set<string>;
}

async function scrapeText(): Promise<string> {
  const services = Object.values(system.gateway().services);
  const texts = services.map(async ({ healthUrl }) => (await fetch(`${healthUrl}/metrics`)).text());
  return (await Promise.all(texts)).join("\n");
}

/** The name of every series, with the labels of all its samples. */
async function scrapeAll(): Promise<ReadonlyMap<string, Exported>> {
  const text = await scrapeText();
  const exported = new Map<string, Exported>();
  for (const [, name = "", type] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    const suffixes = type === "histogram" ? ["_bucket", "_sum", "_count"] : [""];
    for (const suffix of suffixes) exported.set(name + suffix, { labels: new Set() });
  }
  for (const [, name = "", labels = ""] of text.matchAll(/^(\w+)\{([^}]*)\}/gm)) {
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) {
      exported.get(name)?.labels.add(label);
    }
  }
  return exported;
}

/** Service and name of every span from the root to this one. */
function pathTo(span: CollectedSpan): string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? pathTo(parent) : []), `${span.service} ${span.name}`];
}
