import type * as Api from "@opentelemetry/api";
import type { PlatformConfig } from "../config/index.ts";
import type { Log } from "../logging/index.ts";
import { withTimeout } from "../timing/index.ts";
import {
  readTraceparent,
  type Span,
  type SpanKind,
  type SpanStart,
  type Tracer,
  writeTraceparent,
} from "./tracer.ts";

/** An unreachable collector delays a stop by no more than this. */
const closeTimeoutMs = 5_000;

type TracingConfig = Pick<
  PlatformConfig,
  | "NAMESPACE"
  | "OTEL_EXPORTER_OTLP_ENDPOINT"
  | "OTEL_TRACES_EXPORTER"
  | "OTEL_TRACES_SAMPLER"
  | "OTEL_TRACES_SAMPLER_ARG"
>;

/**
 * Undefined unless an exporter is configured. OpenTelemetry is loaded only here and at the first
 * scrape, so a process without both does not have it in memory.
 */
export async function openTracer(
  service: string,
  config: TracingConfig,
  log: Pick<Log, "warn">,
): Promise<Tracer | undefined> {
  if (!isTracingConfigured(config)) return undefined;
  const [api, { startTelemetry }, sampler] = await Promise.all([
    import("@opentelemetry/api"),
    import("../telemetry/index.ts"),
    defaultSampler(config),
  ]);
  const telemetry = startTelemetry({
    service,
    attributes: { "service.namespace": config.NAMESPACE },
    onProblem: (problem) => log.warn({ problem }, "OpenTelemetry reports a problem"),
    sdk: { metricReaders: [], ...(sampler && { sampler }) },
  });
  return {
    start: (span) => startSpan(api, telemetry.tracer, span),
    close: () => withTimeout(telemetry.shutdown(), closeTimeoutMs),
  };
}

function isTracingConfigured(config: TracingConfig): boolean {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: exporter } = config;
  return exporter === undefined ? endpoint !== undefined : exporter !== "none";
}

/** Without `OTEL_TRACES_SAMPLER`: a share of the traces that begin here, and the parent's choice for others. */
async function defaultSampler(config: TracingConfig) {
  if (config.OTEL_TRACES_SAMPLER !== undefined) return undefined;
  const { ParentBasedSampler, TraceIdRatioBasedSampler } = await import("@opentelemetry/sdk-trace");
  const root = new TraceIdRatioBasedSampler(config.OTEL_TRACES_SAMPLER_ARG);
  return new ParentBasedSampler({ root });
}

function startSpan(
  { trace, ROOT_CONTEXT, SpanKind, SpanStatusCode }: typeof Api,
  tracer: Api.Tracer,
  { name, kind, parent, link, attributes = {} }: SpanStart,
): Span {
  const kinds = {
    server: SpanKind.SERVER,
    client: SpanKind.CLIENT,
    producer: SpanKind.PRODUCER,
    consumer: SpanKind.CONSUMER,
    internal: SpanKind.INTERNAL,
  } as const satisfies Record<SpanKind, unknown>;
  const parentContext = readTraceparent(parent);
  const linkedContext = readTraceparent(link);
  const enclosing = parentContext
    ? trace.setSpanContext(ROOT_CONTEXT, { ...parentContext, isRemote: true })
    : ROOT_CONTEXT;
  const links = linkedContext ? [{ context: linkedContext }] : [];
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links }, enclosing);
  const context = span.spanContext();
  return {
    traceid: context.traceId,
    traceparent: writeTraceparent(context),
    end: ({ problem, attributes: more } = {}) => {
      if (more) span.setAttributes(more);
      if (problem !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: problem });
      span.end();
    },
  };
}
