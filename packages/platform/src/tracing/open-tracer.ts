import type * as Api from "@opentelemetry/api";
import type { Log } from "../logging/log.ts";
import {
  readTraceparent,
  type Span,
  type SpanKind,
  type SpanStart,
  type Tracer,
  writeTraceparent,
} from "./tracer.ts";

/** A trace that cannot be sent must not grow into the memory of who is at work. */
const queueMax = 2_048;
const exportEveryMs = 2_000;
const exportMaxMs = 5_000;

export interface TracerOptions {
  readonly endpoint: string;
  /** Which share of the traces that begin here is recorded. */
  readonly ratio: number;
  readonly service: string;
  readonly namespace: string;
  readonly log: Pick<Log, "warn">;
}

/** Loads OpenTelemetry only now: a process without tracing has none of it in its memory. */
export async function openTracer(options: TracerOptions): Promise<Tracer> {
  const [api, sdk, { OTLPTraceExporter }, { resourceFromAttributes }] = await Promise.all([
    import("@opentelemetry/api"),
    import("@opentelemetry/sdk-trace"),
    import("@opentelemetry/exporter-trace-otlp-http"),
    import("@opentelemetry/resources"),
  ]);
  const { endpoint, ratio, service, namespace, log } = options;
  const warn = (message: string) => log.warn({ problem: message }, "traces");
  api.diag.setLogger(
    { error: warn, warn, info() {}, debug() {}, verbose() {} },
    api.DiagLogLevel.WARN,
  );
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, "")}/v1/traces` });
  const provider = new sdk.TracerProvider({
    resource: resourceFromAttributes({
      "service.name": service,
      "service.namespace": namespace,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [
      new sdk.BatchSpanProcessor({
        exporter,
        maxQueueSize: queueMax,
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: exportMaxMs,
      }),
    ],
  });
  const tracer = provider.getTracer("malipo");
  return {
    start: (span) => startSpan(api, tracer, span),
    close: () => provider.shutdown(),
  };
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
  const above = readTraceparent(parent);
  const beside = readTraceparent(link);
  const within = above
    ? trace.setSpanContext(ROOT_CONTEXT, { ...above, isRemote: true })
    : ROOT_CONTEXT;
  const links = beside ? [{ context: beside }] : [];
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, links }, within);
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
