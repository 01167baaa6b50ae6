/** What happened to whom, in the words of OpenTelemetry's conventions. */
type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

/** Who began the work, and how: it answers, it asks, it sends a message, it works one off. */
export type SpanKind = "server" | "client" | "producer" | "consumer" | "internal";

export interface SpanStart {
  readonly name: string;
  readonly kind: SpanKind;
  /** The traceparent of what it is a part of; a trace of its own begins without one. */
  readonly parent?: string | undefined;
  /** The traceparent of what it has to do with, in another trace. */
  readonly link?: string | undefined;
  readonly attributes?: Attributes;
}

/** A piece of work in a trace. */
export interface Span {
  readonly traceid: string;
  /** What travels with everything that comes of it, as W3C writes it. */
  readonly traceparent: string;
  /** With a problem, it has failed. */
  end(outcome?: { readonly problem?: string; readonly attributes?: Attributes }): void;
}

/**
 * There is none while no exporter is configured. So a span is begun by `tracer?.start(…)`, and
 * ended by `span?.end()`: whoever is not watched pays for two looks at undefined.
 */
export interface Tracer {
  start(span: SpanStart): Span;
  /** Sends what is not sent yet. */
  close(): Promise<void>;
}

interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceFlags: number;
}

const wellFormed = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const nothing = /^0+$/;

/** Undefined for what nobody could have begun. */
export function readTraceparent(text: string | undefined): TraceParent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = wellFormed.exec(text ?? "") ?? [];
  if (nothing.test(traceId) || nothing.test(spanId) || flags === "") return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) };
}

export function writeTraceparent({ traceId, spanId, traceFlags }: TraceParent): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`;
}
