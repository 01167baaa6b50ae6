import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import { startTelemetry } from "./start-telemetry.ts";

function startService(service: string) {
  const exporter = new InMemorySpanExporter();
  const telemetry = startTelemetry({
    service,
    attributes: { "service.namespace": "test" },
    sdk: { metricReaders: [], spanProcessors: [new SimpleSpanProcessor({ exporter })] },
  });
  return { exporter, telemetry };
}

describe("startTelemetry", () => {
  it("gives each of several services in one process its own service.name", () => {
    const services = ["invoice", "payment"].map(startService);
    for (const { telemetry } of services) telemetry.tracer.startSpan("work").end();
    const exported = services.map(({ exporter }) =>
      exporter.getFinishedSpans().map(({ name, resource }) => ({
        name,
        service: resource.attributes["service.name"],
        namespace: resource.attributes["service.namespace"],
      })),
    );
    expect(exported).toEqual([
      [{ name: "work", service: "invoice", namespace: "test" }],
      [{ name: "work", service: "payment", namespace: "test" }],
    ]);
  });

  it("leaves no provider registered for the process", () => {
    const { exporter } = startService("invoice");
    trace.getTracer("another").startSpan("work").end();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
