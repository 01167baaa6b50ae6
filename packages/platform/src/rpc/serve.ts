import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Operation, operationsOf, rpcSubject } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Msg } from "@nats-io/nats-core";
import { answerRequest } from "./answer-request.ts";
import { handlerOf, type HandlerTable } from "./handlers.ts";
import { refuse } from "./reply.ts";
import { readContext, type RequestContext } from "./request-context.ts";
import type { Service } from "../service/service.ts";

const inFlightMax = 1_000;

/** Serves every route and call of the service's contract with the handler of the same name. */
export async function serveRoutes<Deps>(
  service: Service,
  handlers: HandlerTable<Deps>,
  deps: Deps,
  operations: Readonly<Record<string, Operation>> = operationsOf(service.name),
): Promise<void> {
  const { wire, config, metrics, shutdown } = service;
  const inFlight = new Set<Promise<void>>();
  const refused: string[] = [];
  const subscriptions = Object.entries(operations).map(([name, operation]) => {
    const handle = handlerOf(handlers, name, deps);
    return wire.nats.subscribe(rpcSubject(config.NAMESPACE, operation), {
      queue: service.name,
      callback: (error, message) => {
        if (error) return void refused.push(error.message);
        const context = contextOf(message, service);
        if (!context) return metrics.requestsDropped.inc({ reason: "unreadable" });
        // A process that was paused must not act on what was given up long ago.
        if (service.clock() >= context.deadline) {
          return metrics.requestsDropped.inc({ reason: "late" });
        }
        if (inFlight.size >= inFlightMax) {
          metrics.requestsDropped.inc({ reason: "busy" });
          return refuse(message, operation, context, fault("service_unavailable"));
        }
        const answering = answerRequest(service, operation, handle, context, message).finally(() =>
          inFlight.delete(answering),
        );
        inFlight.add(answering);
      },
    });
  });
  // Requests must not leave for a service whose subscriptions the server does not know yet.
  await wire.nats.flush();
  if (refused.length > 0) throw new Error(refused.join("\n"));
  shutdown.on("intake", async () => {
    await Promise.all(subscriptions.map((subscription) => subscription.drain()));
    await Promise.allSettled(inFlight);
    // Answers leave at the end of the turn in which they were given.
    await endOfTurn();
  });
}

function contextOf({ headers, subject }: Msg, { log }: Service): RequestContext | undefined {
  try {
    return readContext(headers);
  } catch {
    log.warn({ subject }, "a request without a context");
    return undefined;
  }
}
