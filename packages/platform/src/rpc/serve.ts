import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Operation, operationsOf, rpcSubject } from "@malipo/contracts";
import { fault, ok } from "@malipo/core";
import type { Msg } from "@nats-io/nats-core";
import { createShare } from "../fair-queue/index.ts";
import type { Service } from "../service/index.ts";
import { answerRequest } from "./answer-request.ts";
import { handlerOf, type HandlerTable } from "./handlers.ts";
import { sendFault } from "./reply.ts";
import { readContext, type RequestContext, senderOf } from "./request-context.ts";
import { createRequestQueues } from "./request-queues.ts";

/** What a request in progress holds at least. A larger body counts as it is. */
const requestBytesMin = 16 * 1_024;
/** Room for 1,000 requests in progress, or 62 with the largest bodies. */
const requestsShare = { max: 1_000 * requestBytesMin };

/** Serves every route and call of the service's contract with the handler of the same name. */
export async function serveRoutes<Deps>(
  service: Service,
  handlers: HandlerTable<Deps>,
  deps: Deps,
  operations: Readonly<Record<string, Operation>> = operationsOf(service.name),
): Promise<void> {
  const { wire, config, metrics, shutdown } = service;
  const inFlight = new Set<Promise<void>>();
  const problems: string[] = [];
  const inTurn = createTurns(service);
  const takeRoom = createRoom();
  const subscriptions = Object.entries(operations).map(([name, operation]) => {
    const handle = handlerOf(handlers, name, deps);
    return wire.nats.subscribe(rpcSubject(config.NAMESPACE, operation), {
      queue: service.name,
      callback: (error, message) => {
        if (error) return void problems.push(error.message);
        const context = readContextSafely(message, service);
        if (!context) return metrics.requestsDropped.inc({ reason: "unreadable" });
        // After a pause of the process, requests arrive whose callers gave up long ago.
        if (service.clock() >= context.deadline) {
          return metrics.requestsDropped.inc({ reason: "late" });
        }
        const releaseRoom = takeRoom(operation, context, message);
        if (!releaseRoom) {
          metrics.requestsDropped.inc({ reason: "busy" });
          return sendFault(message, operation, context, fault("service_unavailable"));
        }
        const answerNow = async () => answerRequest(service, operation, handle, context, message);
        const answering = inTurn(operation, context, message, answerNow).finally(() => {
          inFlight.delete(answering);
          releaseRoom();
        });
        inFlight.add(answering);
      },
    });
  });
  // The service becomes ready only after the server has all subscriptions, or has refused them.
  await wire.nats.flush();
  if (problems.length > 0) throw new Error(problems.join("\n"));
  shutdown.on("intake", async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    await Promise.allSettled(inFlight);
    // Replies are sent at the end of the event-loop turn.
    await endOfTurn();
  });
}

/** Bounds what the requests in progress hold. Calls have room of their own, which no route can take. */
function createRoom() {
  const [routes, calls] = [createShare(requestsShare), createShare(requestsShare)];
  return (operation: Operation, context: RequestContext, { data }: Msg): (() => void) | null =>
    ("callers" in operation ? calls : routes).take(
      senderOf(context),
      Math.max(requestBytesMin, data.length),
    );
}

/** Lets requests for what is scarce run in the turn of their business or address. */
function createTurns(service: Service) {
  const placeOf = createRequestQueues(service.clock);
  return async (
    operation: Operation,
    context: RequestContext,
    message: Msg,
    answerNow: () => Promise<void>,
  ): Promise<void> => {
    const place = placeOf(operation, context, message.data.length);
    if (!place) return answerNow();
    const { deadline } = context;
    const turn = await place.queue.run({ key: place.key, deadline }, async () =>
      ok(await answerNow()),
    );
    if (turn.ok) return;
    // Without a log line: a flood of one business must not fill the log.
    service.metrics.requestsDropped.inc({ reason: "share" });
    sendFault(message, operation, context, turn.error);
  };
}

function readContextSafely({ headers, subject }: Msg, { log }: Service) {
  try {
    return readContext(headers);
  } catch {
    log.warn({ subject }, "request without a context dropped");
    return undefined;
  }
}
