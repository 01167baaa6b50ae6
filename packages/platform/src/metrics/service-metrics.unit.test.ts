import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { createCounter, createHistogram, gaugeOnScrape } from "./instruments.ts";
import { createMetrics, type Metrics } from "./service-metrics.ts";

async function scrapesOf({ answerScrape }: Metrics): Promise<() => Promise<string>> {
  const server = createServer((request, response) => void answerScrape(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async () => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(response.headers.get("content-type")).toBe("text/plain; version=0.0.4; charset=utf-8");
    return response.text();
  };
}

describe("a scrape", () => {
  it("returns each metric with its name, help and labels, and none of the exporter's own", async () => {
    const metrics = createMetrics("invoice");
    const scrape = await scrapesOf(metrics);
    const sold = createCounter(metrics.exported, {
      name: "sold_total",
      help: "Things sold",
      labelNames: ["kind", "status"],
    });
    sold.inc({ kind: 'a "quoted" one', status: 200 });
    sold.inc({ status: 200, kind: 'a "quoted" one' }, 2);
    sold.inc({ kind: "another", status: 404 }, 0);
    metrics.storeAway.value = 1;
    const text = await scrape();
    expect(text).toContain(`# HELP sold_total Things sold
# TYPE sold_total counter
sold_total{kind="a \\"quoted\\" one",status="200",service="invoice"} 3
sold_total{kind="another",status="404",service="invoice"} 0
`);
    expect(text).toMatch(
      /^# TYPE malipo_store_away gauge\nmalipo_store_away\{service="invoice"\} 1$/m,
    );
    expect(text).not.toMatch(/otel|target_info/);
    sold.inc({ kind: "another", status: 404 });
    expect(await scrape()).toContain(`{kind="another",status="404",service="invoice"} 1\n`);
  });

  it("returns 0 for metrics without labels, and the type of metrics without series", async () => {
    const text = await (await scrapesOf(createMetrics("invoice")))();
    expect(text).toContain('malipo_event_publish_failures_total{service="invoice"} 0\n');
    expect(text).toContain('malipo_outbox_oldest_seconds{service="invoice"} 0\n');
    expect(text).toContain("# TYPE malipo_redeliveries_total counter\n");
    expect(text).toContain("# TYPE messaging_process_duration_seconds histogram\n");
  });

  it("counts a value on a boundary in the bucket below", async () => {
    const metrics = createMetrics("invoice");
    const took = createHistogram(metrics.exported, {
      name: "took_seconds",
      help: "How long",
      boundaries: [0.1, 1],
    });
    for (const seconds of [0.1, 0.5, 1, 7]) took.observe({}, seconds);
    expect(await (await scrapesOf(metrics))()).toContain(`# TYPE took_seconds histogram
took_seconds_count{service="invoice"} 4
took_seconds_sum{service="invoice"} 8.6
took_seconds_bucket{service="invoice",le="0.1"} 1
took_seconds_bucket{service="invoice",le="1"} 3
took_seconds_bucket{service="invoice",le="+Inf"} 4
`);
  });

  it("leaves out a gauge whose lookup fails", async () => {
    const metrics = createMetrics("invoice");
    const scrape = await scrapesOf(metrics);
    let known = 7;
    const named = { name: "letters", help: "How many" };
    // Each gauge has its own lookup, whose result is cached for five seconds.
    const declare = () =>
      gaugeOnScrape(metrics.exported, named, async () => {
        if (known === 0) throw new Error("away");
        return [[{}, known]];
      });
    declare();
    expect(await scrape()).toContain('letters{service="invoice"} 7\n');
    metrics.exported.pop();
    known = 0;
    declare();
    expect(await scrape()).not.toMatch(/^letters\{/m);
  });

  it("returns at most a thousand series of a metric; further ones share one", async () => {
    const metrics = createMetrics("invoice");
    const seen = createCounter(metrics.exported, {
      name: "seen_total",
      help: "Seen",
      labelNames: ["one", "other"],
    });
    for (let index = 0; index < 1_500; index += 1) seen.inc({ one: index % 3, other: index });
    seen.inc({ one: 0, other: 0 });
    const lines = (await (await scrapesOf(metrics))()).match(/^seen_total.*$/gm) ?? [];
    expect(lines).toHaveLength(1_001);
    expect(lines[0]).toBe('seen_total{one="0",other="0",service="invoice"} 2');
    expect(lines.at(-1)).toBe('seen_total{otel_metric_overflow="true",service="invoice"} 500');
  });

  it("returns the metrics of the Node process", async () => {
    const text = await (await scrapesOf(createMetrics("invoice")))();
    for (const name of [
      "nodejs_eventloop_lag_p99_seconds",
      "nodejs_heap_size_used_bytes",
      "process_resident_memory_bytes",
      "process_cpu_seconds_total",
      "process_start_time_seconds",
    ]) {
      expect(text).toMatch(new RegExp(`^${name}\\{service="invoice"\\} [\\d.e+-]+$`, "m"));
    }
    expect(text).toMatch(
      /^nodejs_heap_space_size_used_bytes\{space="old",service="invoice"\} \d+$/m,
    );
  });
});
