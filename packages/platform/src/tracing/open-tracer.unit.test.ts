import { describe, expect, it } from "vitest";
import { platformConfig, readConfig } from "../config/index.ts";
import { openTracer } from "./open-tracer.ts";
import { readTraceparent } from "./tracer.ts";

const required = { NATS_URL: "nats://127.0.0.1:4222", MONGODB_URI: "mongodb://127.0.0.1:27017/" };

async function openWith(environment: Record<string, string>) {
  const config = readConfig(platformConfig, { ...required, ...environment });
  return openTracer("invoice", config, { warn: () => undefined });
}

/** Whether a span is recorded, as the last digit of its traceparent says. */
async function isRecorded(environment: Record<string, string>, parent?: string) {
  const tracer = await openWith({
    OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9",
    ...environment,
  });
  const span = tracer?.start({ name: "work", kind: "internal", parent });
  return readTraceparent(span?.traceparent)?.traceFlags === 1;
}

describe("openTracer", () => {
  it.each([{}, { OTEL_TRACES_EXPORTER: "none" }])(
    "returns undefined with %j",
    async (environment) => {
      expect(await openWith(environment)).toBeUndefined();
    },
  );

  it("returns undefined when an endpoint is set and OTEL_TRACES_EXPORTER is none", async () => {
    const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" };
    expect(await openWith({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined();
  });

  it("records the share of new traces that OTEL_TRACES_SAMPLER_ARG says", async () => {
    expect(await isRecorded({ OTEL_TRACES_SAMPLER_ARG: "1" })).toBe(true);
    expect(await isRecorded({ OTEL_TRACES_SAMPLER_ARG: "0" })).toBe(false);
  });

  it("follows the decision of the parent", async () => {
    const parent = `00-${"a".repeat(32)}-${"1".repeat(16)}`;
    expect(await isRecorded({ OTEL_TRACES_SAMPLER_ARG: "0" }, `${parent}-01`)).toBe(true);
    expect(await isRecorded({ OTEL_TRACES_SAMPLER_ARG: "1" }, `${parent}-00`)).toBe(false);
  });
});
