import { type Operation, isWrite, takesBody, takesQuery } from "@malipo/contracts";
import { type Fault, type Result, err, fault, notFound, ok, parseId } from "@malipo/core";
import type { Msg } from "@nats-io/nats-core";
import { describeError } from "../logging/index.ts";
import { isStoreAway } from "../mongo/index.ts";
import { NotOnStream } from "../outbox/index.ts";
import { VersionConflict } from "../records/index.ts";
import type { Service } from "../service/index.ts";
import { type Span, answerSpan, currentTrace, runInTrace } from "../tracing/index.ts";
import type { RouteHandler, RouteRequest } from "./handlers.ts";
import { type Success, sendFault, sendSuccess, successOf } from "./reply.ts";
import type { RequestContext } from "./request-context.ts";
import { validate } from "./validate.ts";

const attemptsMax = 3;
/** Rejects bytes that are not valid UTF-8 instead of replacing them. */
const utf8 = new TextDecoder("utf-8", { fatal: true });
/** The reply leaves this long before the deadline, so that the caller is still waiting for it. */
const replyMarginMs = 100;

/** The whole life of one request in a service: parse, handle, reply, measure. */
export async function answerRequest(
  service: Service,
  operation: Operation,
  handle: RouteHandler,
  context: RequestContext,
  message: Msg,
): Promise<void> {
  const startedMs = performance.now();
  const now = service.clock();
  const span = answerSpan(service.tracer, service.config.NAMESPACE, operation, context);
  const work = runInTrace(span?.traceparent, () =>
    handleRequest(service, operation, handle, context, message, now),
  );
  const result = await beforeDeadline(context, operation, now, work);
  const status = result.ok ? operation.reply.status : result.error.status;
  if (result.ok) sendSuccess(message, operation, context, result.value);
  else sendFault(message, operation, context, result.error);
  if (!result.ok && status >= 500) logFault(service, operation, context, result.error, span);
  span?.end({
    ...(status >= 500 && !result.ok && { problem: result.error.code }),
    attributes: { "malipo.status": status },
  });
  const seconds = (performance.now() - startedMs) / 1_000;
  const messaging_destination_name = `rpc.${operation.service}.${operation.verb}`;
  service.metrics.processSeconds.observe({ messaging_destination_name, outcome: status }, seconds);
  // After a reply at the deadline the handler still runs, and the request counts as in flight.
  await work;
}

/** Never throws: an error of the handler becomes a fault. */
async function handleRequest(
  service: Service,
  operation: Operation,
  handle: RouteHandler,
  context: RequestContext,
  message: Msg,
  now: Date,
): Promise<Result<Success, Fault>> {
  try {
    if (service.store.isAway() && !operation.worksWithoutStore) {
      return err(fault("service_unavailable", { logText: "the store is away" }));
    }
    const request = readRequest(operation, context, message, now);
    if (!request.ok) return request;
    const handled = await retryOnConflict(() => handle(request.value));
    return handled.ok ? successOf(operation, handled.value) : handled;
  } catch (error) {
    return err(faultOf(error, operation));
  }
}

/** Callers rely on the order of the checks: the path first, then the query, then the body. */
function readRequest(
  operation: Operation,
  context: RequestContext,
  message: Msg,
  now: Date,
): Result<RouteRequest, Fault> {
  for (const [name, noun] of Object.entries(operation.params)) {
    const value = context.params[name] ?? "";
    const code = operation.paramPatterns?.[name];
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
    cause: { now, operationid, traceparent: currentTrace() ?? context.traceparent },
    deadline,
  });
}

/** A repeated name becomes a list, which every schema rejects where it expects a string. */
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

/** After a version conflict the handler reads the record again and decides again. */
async function retryOnConflict(work: () => ReturnType<RouteHandler>): ReturnType<RouteHandler> {
  for (let attempts = 1; ; attempts += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      if (attempts === attemptsMax) return err(fault("changed_meanwhile"));
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
    () => late.resolve(err(timeoutFault(operation, "the handler was not done by the deadline"))),
    Math.max(0, deadline.getTime() - now.getTime() - replyMarginMs),
  );
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

function faultOf(error: unknown, operation: Operation): Fault {
  const { message, stack } = describeError(error);
  const logText = `${message}\n${stack ?? ""}`;
  if (error instanceof NotOnStream) {
    const text = "The stream of events does not take them now. Try again later.";
    return fault("service_unavailable", { text, logText });
  }
  return isStoreAway(error)
    ? timeoutFault(operation, logText)
    : fault("internal_error", { logText });
}

function logFault(
  service: Service,
  operation: Operation,
  { requestid, businessid }: RequestContext,
  { code, logText }: Fault,
  span: Span | undefined,
) {
  const { verb } = operation;
  const fields = { requestid, businessid, verb, code, detail: logText, trace_id: span?.traceid };
  service.log.error(fields, "request failed");
}

/** The caller may retry a read. A change may have been carried out, so its outcome is unknown. */
export function timeoutFault(operation: Operation, logText: string): Fault {
  return fault(isWrite(operation) ? "outcome_unknown" : "service_unavailable", { logText });
}
