import { contextHeader } from "@malipo/contracts";
import { headers, type MsgHdrs } from "@nats-io/nats-core";

/** What travels beside a request's body. */
export interface RequestContext {
  readonly businessid?: string;
  readonly credentialid?: string;
  readonly requestid: string;
  /** The same whenever the same keyed request is tried again. */
  readonly operationid?: string | undefined;
  /** After this moment nobody waits for the answer. */
  readonly deadline: Date;
  readonly params: Readonly<Record<string, string>>;
  /** As the client sent it, without the question mark. */
  readonly query?: string;
  /** The languages that a page's visitor reads, as the browser says it. */
  readonly languages?: string;
  readonly traceparent?: string | undefined;
  /** What the answer gives back to its asker. */
  readonly ticket?: string;
}

export function writeContext(context: RequestContext): MsgHdrs {
  const written = headers();
  const deadline = context.deadline.getTime();
  written.set(contextHeader, JSON.stringify({ ...context, deadline }));
  return written;
}

/** Throws at what no sender of ours has written. */
export function readContext(written: MsgHdrs | undefined): RequestContext {
  const read = JSON.parse(written?.get(contextHeader) ?? "") as RequestContext;
  return { ...read, deadline: new Date(read.deadline) };
}
