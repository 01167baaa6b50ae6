import { contextHeader } from "@malipo/contracts";
import { headers, type MsgHdrs } from "@nats-io/nats-core";

/** The part of a request that travels in a header beside the body. */
export interface RequestContext {
  readonly businessid?: string;
  readonly credentialid?: string;
  readonly requestid: string;
  /** The same for every retry of one request with an idempotency key. */
  readonly operationid?: string | undefined;
  /** The caller stops waiting at this time. */
  readonly deadline: Date;
  readonly params: Readonly<Record<string, string>>;
  /** As the client sent it, without the question mark. */
  readonly query?: string;
  /** The Accept-Language header of a page's visitor. */
  readonly languages?: string;
  /** The address of a page's visitor, as it is counted: an IPv4 address, or an IPv6 network. */
  readonly client?: string;
  readonly traceparent?: string | undefined;
  /** The reply repeats it, so the caller can match the two. */
  readonly correlationId?: string | undefined;
}

/**
 * The header's JSON. The previous release runs side by side with this one, so the correlation id
 * keeps its old name there, `ticket`; the deadline is in milliseconds since 1970.
 */
interface ContextHeader extends Omit<RequestContext, "deadline" | "correlationId"> {
  readonly deadline: number;
  readonly ticket?: string | undefined;
}

/** Who a request is for, as it counts beside the requests of others. */
export function senderOf({ businessid, client, requestid }: RequestContext): string {
  return businessid ?? client ?? requestid;
}

export function writeContext({ correlationId, ...context }: RequestContext): MsgHdrs {
  const written = headers();
  const deadline = context.deadline.getTime();
  const sent: ContextHeader = { ...context, deadline, ticket: correlationId };
  written.set(contextHeader, JSON.stringify(sent));
  return written;
}

/** Throws if the header is missing or is not JSON: no service of ours sent the request. */
export function readContext(received: MsgHdrs | undefined): RequestContext {
  const read = JSON.parse(received?.get(contextHeader) ?? "") as ContextHeader;
  const { ticket, deadline, ...context } = read;
  return { ...context, deadline: new Date(deadline), correlationId: ticket };
}
