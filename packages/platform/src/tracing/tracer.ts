/** Named by OpenTelemetry's semantic conventions. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** OpenTelemetry's kinds: answers a request, sends one, sends a message, processes one, or none of these. */
export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** The traceparent of the enclosing span. Without it the span begins a new trace. */
  readonly parent?: string | undefined;
  /** The traceparent of a related span in another trace. */
  readonly link?: string | undefined;
  readonly attributes?: Attributes;
}

/** A piece of work in a trace. */
export interface Span {
  readonly traceid: string;
  /** In the W3C format. It travels with the requests and events that the work causes. */
  readonly traceparent: string;
  /** With a problem, the span ends as failed. */
  end(outcome?: { readonly problem?: string; readonly attributes?: Attributes }): void;
}

/**
 * Undefined while no exporter is configured. So spans start with `tracer?.start(…)` and end with
 * `span?.end()`: without tracing that costs two checks for undefined.
 */
export interface Tracer {
  start(span: SpanStart): Span;
  /** Sends the spans that are still queued. */
  close(): Promise<void>;
}

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

const traceparentFormat = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const zeros = /^0+$/;

/** Undefined unless the text is a valid traceparent. */
export function readTraceparent(text: string | undefined): TraceParent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = traceparentFormat.exec(text ?? "") ?? [];
  if (zeros.test(traceId) || zeros.test(spanId) || flags === "") return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

export function writeTraceparent({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
