import { requestHeaders as names } from "@malipo/contracts";
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
  readonly traceparent?: string | undefined;
}

export function writeContext(context: RequestContext): MsgHdrs {
  const written = headers();
  const set = (name: string, value: string | undefined) => {
    if (value) written.set(name, value);
  };
  set(names.business, context.businessid);
  set(names.credential, context.credentialid);
  set(names.requestid, context.requestid);
  set(names.operation, context.operationid);
  set(names.deadline, String(context.deadline.getTime()));
  set(names.params, new URLSearchParams(context.params).toString());
  set(names.query, context.query);
  set(names.traceparent, context.traceparent);
  return written;
}

export function readContext(written: MsgHdrs | undefined): RequestContext {
  const get = (name: string) => written?.get(name) ?? "";
  return {
    businessid: get(names.business),
    credentialid: get(names.credential),
    requestid: get(names.requestid),
    operationid: get(names.operation) || undefined,
    deadline: new Date(Number(get(names.deadline))),
    params: Object.fromEntries(new URLSearchParams(get(names.params))),
    query: get(names.query),
    traceparent: get(names.traceparent) || undefined,
  };
}
