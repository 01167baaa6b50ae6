import { setImmediate as endOfTurn } from "node:timers/promises";
import { type Operation, operationsOf, rpcSubject } from "@malipo/contracts";
import { fault } from "@malipo/core";
import type { Msg } from "@nats-io/nats-core";
import type { Service } from "../service/index.ts";
import { answerRequest } from "./answer-request.ts";
import { handlerOf, type HandlerTable } from "./handlers.ts";
import { createMemoryBudget } from "./memory-budget.ts";
import { sendFault } from "./reply.ts";
import { readContext } from "./request-context.ts";

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
  const problems: string[] = [];
  const budget = createMemoryBudget();
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
        const bodyBytes = message.data.length;
        if (inFlight.size >= inFlightMax || !budget.hasRoomFor(bodyBytes)) {
          metrics.requestsDropped.inc({ reason: "busy" });
          return sendFault(message, operation, context, fault("service_unavailable"));
        }
        const answering = budget
          .run(operation, bodyBytes, async () => {
            if (service.clock() < context.deadline) {
              return answerRequest(service, operation, handle, context, message);
            }
            metrics.requestsDropped.inc({ reason: "late" });
          })
          .finally(() => inFlight.delete(answering));
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

function readContextSafely({ headers, subject }: Msg, { log }: Service) {
  try {
    return readContext(headers);
  } catch {
    log.warn({ subject }, "request without a context dropped");
    return undefined;
  }
}
