import { setTimeout as sleep } from "node:timers/promises";
import {
  type ConsumerContract,
  consumersOf,
  type EventOf,
  type EventPattern,
  handlerNameOf,
} from "@malipo/contracts";
import { createBatchWorker } from "./batch.ts";
import { batchesOf } from "./batches-of.ts";
import { followUntilStopped } from "./follow.ts";
import { loadHandler } from "./handlers.ts";
import type { Service } from "./service.ts";
import { ensureConsumer, ensureStreams } from "./streams.ts";

const restartDelayMs = 500;

/** An event that a handler will not take, and why: it is tried again, then set aside. */
export interface Refusal {
  readonly event: string;
  readonly reason: string;
}

/** Applies a batch, harmlessly however often it comes; a batch that throws is tried one by one. */
export type EventHandler<Pattern extends EventPattern = EventPattern> = (
  events: readonly EventOf<Pattern>[],
) => Promise<readonly Refusal[]>;

/** Runs every consumer of the service's contract; each event's handler is the file of that name. */
export async function consumeEvents(
  service: Service,
  handlers: URL,
  deps: unknown,
  contracts: readonly ConsumerContract[] = consumersOf(service.name),
): Promise<void> {
  const running = await Promise.all(
    contracts.map(async (contract) => {
      const name = handlerNameOf(contract);
      const handle = await loadHandler<EventHandler>(handlers, name, deps);
      const run = contract.inOrder ? followUntilStopped : consumeUntilStopped;
      return { ended: run(service, contract, handle) };
    }),
  );
  service.shutdown.on("intake", async () => {
    await Promise.all(running.map(({ ended }) => ended));
  });
}

async function consumeUntilStopped(
  service: Service,
  contract: ConsumerContract,
  handle: EventHandler,
) {
  const { signal } = service.shutdown;
  const work = createBatchWorker(service, contract, handle);
  while (!signal.aborted) {
    try {
      await ensureStreams(
        service.wire.nats,
        service.config.NAMESPACE,
        service.config.STREAM_REPLICAS,
      );
      const consumer = await ensureConsumer(service.wire.nats, service.config.NAMESPACE, contract);
      const messages = await consumer.consume({
        max_messages: contract.batchMax,
        abort_on_missing_resource: true,
      });
      const stop = () => void messages.close();
      signal.addEventListener("abort", stop, { once: true });
      try {
        for await (const batch of batchesOf(messages, contract.batchMax)) await work(batch);
      } finally {
        signal.removeEventListener("abort", stop);
        await messages.close();
      }
    } catch (error) {
      service.log.warn({ err: error, event: contract.event }, "consumer starts again");
      await sleep(restartDelayMs, undefined, { signal }).catch(() => {});
    }
  }
}
