import { setTimeout as sleep } from "node:timers/promises";
import { signalSubject } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import { createFirstAttempts, type FirstAttempts } from "./first-attempts.ts";
import { type HeldEndpoint, holdEndpoint, type Serving, validUntil } from "../domain/leased-endpoint.ts";
import { takesOffers } from "./offers.ts";
import { restIfIdle, serve, stir } from "./run-endpoint.ts";

const heldMax = 1_000;
const claimedAtOnceMax = 100;
const scanEveryMs = 500;
const lingerMs = secondMs;
/** With its endpoint in hand, what comes next for a quick receiver costs half. */
const quickLingerMs = 10 * secondMs;
const keepEveryMs = 3 * secondMs;
/** What is under way when the service stops may end by itself; then it is broken off. */
const politeMs = 3 * secondMs;
const lookEveryMs = 20;

type WorkerService = Pick<Service, "clock" | "log" | "shutdown" | "wire" | "config">;

/** Tells all workers that these endpoints have something due. */
export function announceDue(
  { wire, config }: Pick<Service, "wire" | "config">,
  endpointids: readonly string[],
): void {
  if (endpointids.length === 0) return;
  const subject = signalSubject(config.NAMESPACE, "deliveries");
  wire.nats.publish(subject, JSON.stringify(endpointids));
}

/** Takes endpoints with something due and serves them; any number of processes share the load. */
export function startWorker(service: WorkerService, serving: Serving): FirstAttempts {
  const { clock, log, shutdown, wire, config } = service;
  const held = new Map<string, HeldEndpoint>();
  const scan = createScan(service, serving, held);

  const hints = wire.nats.subscribe(signalSubject(config.NAMESPACE, "deliveries"), {
    callback: (error, message) => {
      if (error) return;
      const hinted = message.json<string[]>().map((endpointid) => held.get(endpointid));
      for (const endpoint of hinted) if (endpoint) stir(serving, endpoint);
      if (hinted.includes(undefined)) void scan();
    },
  });
  const scanning = setInterval(() => {
    const isRoomy = held.size < heldMax / 2;
    for (const endpoint of held.values()) {
      const isWorthKeeping = isRoomy && takesOffers(endpoint, serving.pace);
      restIfIdle(serving, endpoint, isWorthKeeping ? quickLingerMs : lingerMs);
    }
    void scan();
  }, scanEveryMs);
  const keeping = setInterval(() => {
    keep(serving, held, clock()).catch((error: unknown) => {
      log.warn({ err: error }, "leases not kept");
    });
  }, keepEveryMs);

  shutdown.on("intake", async () => {
    hints.unsubscribe();
    clearInterval(scanning);
    for (const endpoint of held.values()) {
      endpoint.isStopping = true;
      serve(serving, endpoint);
    }
    const breaking = setTimeout(() => serving.sender.breakOff(), politeMs);
    while (held.size > 0) await sleep(lookEveryMs);
    clearTimeout(breaking);
    clearInterval(keeping);
    await serving.sender.close();
  });
  return createFirstAttempts(serving, held);
}

/** Claims what is due and free. One scan at a time; one that is asked for meanwhile comes after it. */
function createScan(
  { clock, log, shutdown }: WorkerService,
  serving: Serving,
  held: Map<string, HeldEndpoint>,
): () => Promise<void> {
  let isScanning = false;
  let isWanted = false;

  async function claimSome(): Promise<void> {
    const claimedAtMs = performance.now();
    const limit = Math.min(claimedAtOnceMax, heldMax - held.size);
    const claimed = await serving.queues.claim(clock(), limit);
    for (const queue of claimed) {
      const before = held.get(queue.endpointid);
      // Ours, and lost without our noticing.
      if (before) before.isLost = true;
      const endpoint = holdEndpoint(queue, claimedAtMs, (lookAgain) => {
        if (held.get(queue.endpointid) === endpoint) held.delete(queue.endpointid);
        if (lookAgain) void scan();
      });
      endpoint.isStopping = shutdown.signal.aborted;
      held.set(queue.endpointid, endpoint);
      serve(serving, endpoint);
    }
    isWanted ||= claimed.length === limit;
  }

  async function scan(): Promise<void> {
    isWanted = true;
    if (isScanning) return;
    isScanning = true;
    while (isWanted && !shutdown.signal.aborted && held.size < heldMax) {
      isWanted = false;
      await claimSome().catch((error: unknown) => log.warn({ err: error }, "nothing claimed"));
    }
    isScanning = false;
    serving.metrics.held(held.size);
  }
  return scan;
}

async function keep(
  serving: Serving,
  held: ReadonlyMap<string, HeldEndpoint>,
  now: Date,
): Promise<void> {
  const kept = [...held.values()];
  const keptAtMs = performance.now();
  const { lost, marks } = await serving.queues.keep(kept, now);
  for (const endpoint of kept) {
    const { endpointid, mark } = endpoint;
    if (lost.has(endpointid)) endpoint.isLost = true;
    else endpoint.validUntilMs = validUntil(keptAtMs);
    // Whoever marked it may have said so in vain.
    if ((marks.get(endpointid) ?? mark) === mark) serve(serving, endpoint);
    else stir(serving, endpoint);
  }
}
