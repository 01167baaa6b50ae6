import {
  type BodyOf,
  isChange,
  type Operation,
  type ParamsOf,
  type QueryOf,
  type ReplyOf,
  takesBody,
  takesQuery,
} from "@malipo/contracts";
import { err, type Fault, fault, notFound, ok, parseId, type Result } from "@malipo/core";
import type { Msg } from "@nats-io/nats-core";
import { describeError } from "../logging/describe-error.ts";
import type { Cause } from "../outbox/event-document.ts";
import { answerSpan } from "../tracing/message-spans.ts";
import { isStoreAway } from "../mongo/connection.ts";
import { NotOnStream } from "../outbox/not-on-stream.ts";
import type { RequestContext } from "./request-context.ts";
import { VersionConflict } from "../records/record-errors.ts";
import { refuse, succeed, type Success, successOf } from "./reply.ts";
import type { Service } from "../service/service.ts";
import { presentTrace, runInTrace } from "../tracing/current-trace.ts";
import type { Span } from "../tracing/tracer.ts";
import { validate } from "./validate.ts";

const conflictTriesMax = 3;
/** What is not text is refused, not mended. */
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** The answer leaves this long before the deadline, so that somebody is still there to read it. */
const headStartMs = 100;

/** What a handler gets: validated, and at a moment of its own. */
interface RouteRequest<O extends Operation = Operation> {
  readonly businessid: string;
  readonly params: ParamsOf<O>;
  readonly query: QueryOf<O>;
  readonly body: BodyOf<O>;
  /** What a page's visitor reads, as Accept-Language has it; empty if it is not known. */
  readonly languages: string;
  readonly cause: Cause;
  /** After this moment nobody waits for the answer. */
  readonly deadline: Date;
}

export type RouteHandler<O extends Operation = Operation> = (
  request: RouteRequest<O>,
) => Promise<Result<ReplyOf<O>, Fault>>;

/** The whole life of one request in a service: parse, handle, answer, count. */
export async function answerRequest(
  service: Service,
  operation: Operation,
  handle: RouteHandler,
  context: RequestContext,
  message: Msg,
): Promise<void> {
  const started = performance.now();
  const now = service.clock();
  const span = answerSpan(service.tracer, service.config.NAMESPACE, operation, context);
  const work = runInTrace(span?.traceparent, () =>
    carryOut(service, operation, handle, context, message, now),
  );
  const result = await beforeDeadline(context, operation, now, work);
  const status = result.ok ? operation.reply.status : result.error.status;
  if (result.ok) succeed(message, operation, context, result.value);
  else refuse(message, operation, context, result.error);
  if (!result.ok && status >= 500) logRefusal(service, operation, context, result.error, span);
  span?.end({
    ...(status >= 500 && !result.ok && { problem: result.error.code }),
    attributes: { "malipo.status": status },
  });
  const seconds = (performance.now() - started) / 1_000;
  const messaging_destination_name = `rpc.${operation.service}.${operation.verb}`;
  service.metrics.processSeconds.observe({ messaging_destination_name, outcome: status }, seconds);
  // Given up by its caller or not, it is in flight until it has ended.
  await work;
}

/** Never throws: what goes wrong inside is a refusal too. */
async function carryOut(
  service: Service,
  operation: Operation,
  handle: RouteHandler,
  context: RequestContext,
  message: Msg,
  now: Date,
): Promise<Result<Success, Fault>> {
  try {
    if (service.store.isAway() && !operation.worksWithoutStore) {
      return err(fault("service_unavailable", { detail: "store away" }));
    }
    const request = readRequest(operation, context, message, now);
    if (!request.ok) return request;
    const handled = await retryConflicts(() => handle(request.value));
    return handled.ok ? successOf(operation, handled.value) : handled;
  } catch (error) {
    return err(faultOf(error, operation));
  }
}

/** Order matters to callers: the path first, then the query, then the body. */
function readRequest(
  operation: Operation,
  context: RequestContext,
  message: Msg,
  now: Date,
): Result<RouteRequest, Fault> {
  for (const [name, noun] of Object.entries(operation.params)) {
    const value = context.params[name] ?? "";
    const code = operation.codes?.[name];
    if (code && !code.test(value)) return err(notFound(noun));
    if (!code && parseId(value) === null) {
      return err(fault("invalid_id", { text: `Invalid ${noun} ID` }));
    }
  }
  const query = takesQuery(operation)
    ? validate(operation.query, readQuery(context.query))
    : ok(undefined);
  if (!query.ok) return query;
  const json = takesBody(operation) ? readJson(message) : ok(undefined);
  if (!json.ok) return json;
  const body = takesBody(operation) ? validate(operation.body, json.value) : ok(undefined);
  if (!body.ok) return body;
  const { businessid = "", languages = "", operationid, params, deadline } = context;
  return ok({
    businessid,
    params,
    query: query.value,
    body: body.value,
    languages,
    cause: { now, operationid, traceparent: presentTrace() ?? context.traceparent },
    deadline,
  });
}

/** A name that comes twice becomes a list, which no schema of ours takes for a string. */
function readQuery(query = ""): Record<string, string | string[]> {
  const read: Record<string, string | string[]> = {};
  const given = new URLSearchParams(query);
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name);
    read[name] = values.length === 1 ? (values[0] ?? "") : values;
  }
  return read;
}

function readJson(message: Msg): Result<unknown, Fault> {
  try {
    return ok(message.data.length === 0 ? undefined : JSON.parse(utf8.decode(message.data)));
  } catch {
    return err(fault("invalid_json"));
  }
}

/** Who lost a race against another change reads and decides again. */
async function retryConflicts(work: () => ReturnType<RouteHandler>): ReturnType<RouteHandler> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      if (tries === conflictTriesMax) return err(fault("changed_meanwhile"));
    }
  }
}

async function beforeDeadline<Value>(
  { deadline }: RequestContext,
  operation: Operation,
  now: Date,
  work: Promise<Result<Value, Fault>>,
): Promise<Result<Value, Fault>> {
  const late = Promise.withResolvers<Result<Value, Fault>>();
  const timer = setTimeout(
    () => late.resolve(err(lateFault(operation, "the handler was not done by the deadline"))),
    Math.max(0, deadline.getTime() - now.getTime() - headStartMs),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** A read may simply be asked again; a write may have happened. */
export function lateFault(operation: Operation, detail: string): Fault {
  return fault(isChange(operation) ? "outcome_unknown" : "service_unavailable", { detail });
}

function faultOf(error: unknown, operation: Operation): Fault {
  const { message, stack } = describeError(error);
  const detail = `${message}\n${stack ?? ""}`;
  if (error instanceof NotOnStream) {
    const text = "The stream of events does not take them now. Try again later.";
    return fault("service_unavailable", { text, detail });
  }
  return isStoreAway(error) ? lateFault(operation, detail) : fault("internal_error", { detail });
}

function logRefusal(
  service: Service,
  operation: Operation,
  { requestid, businessid }: RequestContext,
  refusal: Fault,
  span: Span | undefined,
) {
  const { code, detail } = refusal;
  const { verb } = operation;
  const line = { requestid, businessid, verb, code, detail, trace_id: span?.traceid };
  service.log.error(line, "refused");
}
