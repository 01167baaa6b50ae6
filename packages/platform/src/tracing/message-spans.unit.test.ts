import { calls } from "@malipo/contracts";
import { headers } from "@nats-io/nats-core";
import type { JsMsg } from "@nats-io/jetstream";
import { describe, expect, it } from "vitest";
import { processSpan, publishSpan, requestSpan, traceHeaders } from "./message-spans.ts";
import { runInTrace } from "./current-trace.ts";
import { readTraceparent, type SpanStart, type Tracer, writeTraceparent } from "./tracer.ts";

const request = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`;
const sent = `00-${"a".repeat(32)}-${"2".repeat(16)}-01`;

/** It says how a span would be begun. */
function noting(): { readonly tracer: Tracer; readonly begun: SpanStart[] } {
  const begun: SpanStart[] = [];
  const start = (span: SpanStart) => {
    begun.push(span);
    return { traceid: "a".repeat(32), traceparent: sent, end: () => undefined };
  };
  return { tracer: { start, close: async () => undefined }, begun };
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

function begunBy(message: JsMsg, size = 1): Pick<SpanStart, "parent" | "link"> {
  const { tracer, begun } = noting();
  processSpan(
    tracer,
    "payment-on-invoice",
    { message, size },
    { id: "evt_1", traceparent: request },
  );
  const [{ parent, link } = {}] = begun;
  return { parent, link };
}

describe("a message in a consumer's hands", () => {
  it("belongs to the trace in which it was sent", () => {
    expect(begunBy(messageOf(1, sent))).toEqual({ parent: sent, link: undefined });
  });

  it("belongs, as one of many, to the trace that it names itself", () => {
    expect(begunBy(messageOf(1), 2)).toEqual({ parent: request, link: undefined });
    expect(begunBy(messageOf(2), 2)).toEqual({ parent: undefined, link: request });
  });

  it("begins a trace of its own when it comes again, with a link", () => {
    expect(begunBy(messageOf(2, sent))).toEqual({ parent: undefined, link: sent });
  });

  it("that was replayed is linked to where it came about", () => {
    expect(begunBy(messageOf(1))).toEqual({ parent: undefined, link: request });
  });
});

describe("a publication", () => {
  const publication = { subject: "malipo.event.invoice.paid", id: "evt_1", traceparent: request };

  it("belongs to the trace of what it tells of, and says so in the message", () => {
    const { tracer, begun } = noting();
    const span = publishSpan(tracer, publication);
    expect(begun[0]).toMatchObject({ parent: request });
    expect(span && traceHeaders(span).get("traceparent")).toBe(sent);
  });

  it("of long ago is linked", () => {
    const { tracer, begun } = noting();
    publishSpan(tracer, { ...publication, again: true });
    expect([begun[0]?.parent, begun[0]?.link]).toEqual([undefined, request]);
  });
});

describe("a question to another service", () => {
  it("belongs to the work that asks it", () => {
    const { tracer, begun } = noting();
    runInTrace(request, () => requestSpan(tracer, "malipo", calls.describeBusiness, undefined));
    expect(begun[0]).toMatchObject({
      parent: request,
      name: "request malipo.rpc.gateway.describe-business",
    });
  });

  it("is nothing while nothing is traced", () => {
    expect(requestSpan(undefined, "malipo", calls.describeBusiness, request)).toBeUndefined();
  });
});

describe("a traceparent", () => {
  it("is read as it is written", () => {
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
  ])("that nobody could have begun is none: %s", (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });
});
