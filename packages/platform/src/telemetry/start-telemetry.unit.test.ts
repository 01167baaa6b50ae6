import { trace } from "@opentelemetry/api";
import { InMemorySpanExporter, SimpleSpanProcessor } from "@opentelemetry/sdk-trace";
import { describe, expect, it } from "vitest";
import { startTelemetry } from "./start-telemetry.ts";

function startService(service: string) {
  const exporter = new InMemorySpanExporter();
  const processor = new SimpleSpanProcessor({ exporter });
  const telemetry = startTelemetry({
    service,
    attributes: { "service.namespace": "test" },
    sdk: { metricReaders: [], spanProcessors: [processor] },
  });
  return { exporter, processor, telemetry };
}

describe("startTelemetry", () => {
  it("gives each of several services in one process its own service.name", async () => {
    const services = ["invoice", "payment"].map(startService);
    for (const { telemetry } of services) telemetry.tracer.startSpan("work").end();
    await Promise.all(services.map(async ({ processor }) => processor.forceFlush()));
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
    startService("invoice");
    expect(trace.getTracer("another").startSpan("work").isRecording()).toBe(false);
  });
});
