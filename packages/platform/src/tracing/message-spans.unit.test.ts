import { calls } from "@malipo/contracts";
import { headers } from "@nats-io/nats-core";
import type { JsMsg } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { processSpan, publishSpan, requestSpan, traceHeaders } from "./message-spans.ts";
import { runInTrace } from "./current-trace.ts";
import { readTraceparent, type SpanStart, type Tracer, writeTraceparent } from "./tracer.ts";

const request = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`;
const sent = `00-${"a".repeat(32)}-${"2".repeat(16)}-01`;

/** A tracer that records how each span starts. */
function recordingTracer(): { readonly tracer: Tracer; readonly started: SpanStart[] } {
  const started: SpanStart[] = [];
  const start = (span: SpanStart) => {
    started.push(span);
    return { traceid: "a".repeat(32), traceparent: sent, end: () => undefined };
  };
  return { tracer: { start, close: async () => undefined }, started };
}

function messageOf(deliveryCount: number, traceparent?: string): JsMsg {
  const written = headers();
  if (traceparent !== undefined) written.set("traceparent", traceparent);
  return {
    subject: "malipo.event.invoice.paid",
    headers: written,
    info: { deliveryCount },
  } as JsMsg;
}

function startOfSpan(message: JsMsg, size = 1): Pick<SpanStart, "parent" | "link"> {
  const { tracer, started } = recordingTracer();
  processSpan(
    tracer,
    "payment-on-invoice",
    { message, size },
    { id: "evt_1", traceparent: request },
  );
  const [{ parent, link } = {}] = started;
  return { parent, link };
}

describe("the span of a processed event", () => {
  it("belongs to the trace that sent the message", () => {
    expect(startOfSpan(messageOf(1, sent))).toEqual({ parent: sent, link: undefined });
  });

  it("belongs to the trace that the event names when its message has several events", () => {
    expect(startOfSpan(messageOf(1), 2)).toEqual({ parent: request, link: undefined });
    expect(startOfSpan(messageOf(2), 2)).toEqual({ parent: undefined, link: request });
  });

  it("begins its own trace with a link when the message is redelivered", () => {
    expect(startOfSpan(messageOf(2, sent))).toEqual({ parent: undefined, link: sent });
  });

  it("begins its own trace with a link when the message was replayed", () => {
    expect(startOfSpan(messageOf(1))).toEqual({ parent: undefined, link: request });
  });
});

describe("the span of a publication", () => {
  const publication = { subject: "malipo.event.invoice.paid", id: "evt_1", traceparent: request };

  it("belongs to the trace of the change and is written to the message headers", () => {
    const { tracer, started } = recordingTracer();
    const span = publishSpan(tracer, publication);
    expect(started[0]).toMatchObject({ parent: request });
    expect(span && traceHeaders(span).get("traceparent")).toBe(sent);
  });

  it("begins its own trace with a link when the event is published again", () => {
    const { tracer, started } = recordingTracer();
    publishSpan(tracer, { ...publication, again: true });
    expect([started[0]?.parent, started[0]?.link]).toEqual([undefined, request]);
  });
});

describe("the span of a request to another service", () => {
  it("belongs to the trace of the running work", () => {
    const { tracer, started } = recordingTracer();
    runInTrace(request, () => requestSpan(tracer, "malipo", calls.describeBusiness, undefined));
    expect(started[0]).toMatchObject({
      parent: request,
      name: "request malipo.rpc.gateway.describe-business",
    });
  });

  it("is undefined when tracing is off", () => {
    expect(requestSpan(undefined, "malipo", calls.describeBusiness, request)).toBeUndefined();
  });
});

describe("a traceparent", () => {
  it("is written in the form that was read", () => {
    const read = readTraceparent(request);
    expect(read).toEqual({ traceId: "a".repeat(32), spanId: "1".repeat(16), traceFlags: 1 });
    expect(read && writeTraceparent(read)).toBe(request);
  });

  it.each([
    undefined,
    "",
    "00-x",
    `00-${"0".repeat(32)}-${"1".repeat(16)}-01`,
    `00-${"a".repeat(32)}-${"0".repeat(16)}-01`,
    `01-${"a".repeat(32)}-${"1".repeat(16)}-01`,
    `${request}-more`,
  ])("is rejected when it is not valid: %s", (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});
