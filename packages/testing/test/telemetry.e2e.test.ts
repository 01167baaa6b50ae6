import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { allServices, dataOf, eventually, idIn, startSimulator, useSystem } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { type CollectedSpan, startCollector } from "./collector.ts";

const collector = await startCollector();
const receiver = await startReceiver();
const simulator = await startSimulator();
const system = useSystem(allServices, {
  env: {
    MPESA_BASE_URL: simulator.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_TRACES_SAMPLER_ARG: "1",
    LOG_LEVEL: "info",
    RETRY_DELAYS: "1",
  },
});
const { api } = system;

/** A business's own system: it fails at first, so that there is a second attempt. */
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

describe("a trace", () => {
  it("shows a request, its event and the webhook; a later attempt is linked", async () => {
    const url = receiver.url;
    await api("POST", "/business/webhook/create", { url, events: ["invoice.created"] });
    const customerid = idIn(await api("POST", "/business/customer/create", { name: "Asha" }));
    const itemid = idIn(await api("POST", "/business/product/create", { title: "Unga", price: 9 }));
    const order = { customerid, duedate: "2040-01-31", items: [{ itemid, quantity: 1, rate: 9 }] };
    const theirs = "c".repeat(32);
    const created = await api("POST", "/business/invoice/create", order, {
      traceparent: `00-${theirs}-${"d".repeat(16)}-01`,
      "x-request-id": "a-request-to-follow",
    });
    expect(dataOf(created)["status"]).toBe("unpaid");

    const edge = await eventually(() => {
      const found = collector.spans.find(({ name }) => name === "POST /business/invoice/create");
      if (!found) throw new Error("not sent yet");
      return found;
    });
    // Somebody else's trace does not decide what we record.
    expect(edge.traceId).not.toBe(theirs);
    expect(edge.links?.map(({ traceId }) => traceId)).toEqual([theirs]);
    expect(system.gateway().services["gateway"]?.log()).toContain(
      `"requestid":"a-request-to-follow","trace_id":"${edge.traceId}"`,
    );

    const { namespace } = system.servers;
    const story = [
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
          traceId === edge.traceId && service === "webhook" && name === "POST",
      );
      if (!found) throw new Error("not sent yet");
      return found;
    });
    await eventually(() => expect(pathTo(last)).toEqual(story));
    await eventually(() => {
      const again = collector.spans.filter(
        ({ links, name }) => name === "POST" && links?.some((it) => it.traceId === edge.traceId),
      );
      expect(again).toHaveLength(1);
      expect(again[0]?.traceId).not.toBe(edge.traceId);
    });
  });
});

/** From the first ancestor down. */
function pathTo(span: CollectedSpan): string[] {
  const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
  return [...(parent ? pathTo(parent) : []), `${span.service} ${span.name}`];
}
