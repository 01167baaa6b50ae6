import { setTimeout as sleep } from "node:timers/promises";
import { signalSubject } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import type { Service } from "@malipo/platform";
import { createFirstAttempts, type FirstAttempts } from "./first-attempts.ts";
import { type DeliveryDeps, RunningEndpoint } from "./running-endpoint.ts";

const leasesMax = 1_000;
const claimBatchMax = 100;
const scanEveryMs = 500;
const renewEveryMs = 3 * secondMs;
/** When the service stops, attempts may end normally for this long. Then they are cancelled. */
const stopGraceMs = 3 * secondMs;
const stopCheckEveryMs = 20;

type WorkerService = Pick<Service, "log" | "shutdown" | "wire" | "config">;
type Running = Map<string, RunningEndpoint>;

/** Tells all workers that these endpoints have something due. */
export function announceDue(
  { wire, config }: Pick<Service, "wire" | "config">,
  endpointids: readonly string[],
): void {
  if (endpointids.length === 0) return;
  const subject = signalSubject(config.NAMESPACE, "deliveries");
  wire.nats.publish(subject, JSON.stringify(endpointids));
}

/** Leases endpoints that have something due, and delivers. Any number of processes share the load. */
export function startWorker(service: WorkerService, deps: DeliveryDeps): FirstAttempts {
  const { log, shutdown, wire, config } = service;
  const running: Running = new Map();
  const scan = createScan(service, deps, running);

  const signals = wire.nats.subscribe(signalSubject(config.NAMESPACE, "deliveries"), {
    callback: (error, message) => {
      if (error) return;
      const endpointids = message.json<string[]>();
      for (const endpointid of endpointids) running.get(endpointid)?.dispatch({ kind: "woken" });
      if (endpointids.some((endpointid) => !running.has(endpointid))) void scan();
    },
  });
  const scanning = setInterval(() => {
    const hasRoom = running.size < leasesMax / 2;
    const quickMs = deps.latency.quickMs();
    for (const endpoint of running.values()) {
      endpoint.dispatch({ kind: "idleChecked", hasRoom, quickMs });
    }
    void scan();
  }, scanEveryMs);
  const renewing = setInterval(() => {
    renewLeases(deps, running).catch((error: unknown) => {
      log.warn({ err: error }, "lease renewal failed; will retry");
    });
  }, renewEveryMs);

  shutdown.on("intake", async () => {
    signals.unsubscribe();
    clearInterval(scanning);
    for (const endpoint of running.values()) endpoint.dispatch({ kind: "stopping" });
    const cancelling = setTimeout(() => deps.sender.cancelAll(), stopGraceMs);
    while (running.size > 0) await sleep(stopCheckEveryMs);
    clearTimeout(cancelling);
    clearInterval(renewing);
    await deps.sender.close();
  });
  return createFirstAttempts(deps, running);
}

/** Leases what is due and free. A scan that is requested during another one runs after it. */
function createScan(
  { log, shutdown }: Pick<WorkerService, "log" | "shutdown">,
  deps: DeliveryDeps,
  running: Running,
): () => Promise<void> {
  let isScanning = false;
  let isRequested = false;

  async function claim(): Promise<void> {
    const claimedAtMs = deps.uptimeMs();
    const limit = Math.min(claimBatchMax, leasesMax - running.size);
    const claimed = await deps.queues.claim(deps.clock(), limit);
    for (const queue of claimed) {
      const { endpointid } = queue;
      // The store gave this process a new lease, so the old one ended unnoticed.
      running.get(endpointid)?.dispatch({ kind: "leaseLost" });
      const endpoint = new RunningEndpoint(deps, queue, {
        claimedAtMs,
        onEnd: (isScanNeeded) => {
          if (running.get(endpointid) === endpoint) running.delete(endpointid);
          if (isScanNeeded) void scan();
        },
      });
      running.set(endpointid, endpoint);
      endpoint.dispatch({ kind: shutdown.signal.aborted ? "stopping" : "woken" });
    }
    isRequested ||= claimed.length === limit;
  }

  async function scan(): Promise<void> {
    isRequested = true;
    if (isScanning) return;
    isScanning = true;
    while (isRequested && !shutdown.signal.aborted && running.size < leasesMax) {
      isRequested = false;
      await claim().catch((error: unknown) => {
        log.warn({ err: error }, "claiming endpoints failed; will retry");
      });
    }
    isScanning = false;
    deps.metrics.setLeased(running.size);
  }
  return scan;
}

async function renewLeases(
  { queues, clock, uptimeMs }: DeliveryDeps,
  running: Running,
): Promise<void> {
  const endpoints = [...running.values()];
  const renewedAtMs = uptimeMs();
  const leases = endpoints.flatMap(({ lease }) => lease ?? []);
  const { lost, marks } = await queues.renew(leases, clock());
  for (const endpoint of endpoints) {
    const { endpointid } = endpoint;
    if (lost.has(endpointid)) endpoint.dispatch({ kind: "leaseLost" });
    else {
      const mark = marks.get(endpointid);
      endpoint.dispatch({ kind: "leaseRenewed", renewedAtMs, ...(mark !== undefined && { mark }) });
    }
  }
}
