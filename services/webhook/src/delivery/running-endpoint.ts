import type { KeyObject } from "node:crypto";
import { createSigningKey, ok } from "@malipo/core";
import type { Log } from "@malipo/platform";
import type { AttemptResult, DueDelivery, UnstoredDelivery } from "../domain/delivery.ts";
import { disableEndpoint, type Endpoint } from "../domain/endpoint.ts";
import { dueMax } from "../domain/leased-endpoint/apply-event.ts";
import type { Command, EndpointEvent, SendCommand } from "../domain/leased-endpoint/messages.ts";
import { leaseEndpoint, type LeasedEndpoint } from "../domain/leased-endpoint/state.ts";
import { transition } from "../domain/leased-endpoint/transition.ts";
import type { Queue } from "../domain/queue.ts";
import type { Deliveries } from "../store/deliveries.ts";
import type { Endpoints } from "../store/endpoints.ts";
import type { Queues } from "../store/queues.ts";
import type { Secrets } from "../store/secrets.ts";
import { attempt, type AttemptDeps } from "./attempt.ts";
import type { Latency } from "./latency.ts";
import type { WorkerMetrics } from "./metrics.ts";
import type { Recorder } from "./recorder.ts";

export interface DeliveryDeps extends AttemptDeps {
  readonly endpoints: Endpoints;
  readonly deliveries: Deliveries;
  readonly queues: Queues;
  readonly secrets: Secrets;
  readonly recorder: Recorder;
  readonly metrics: WorkerMetrics;
  readonly latency: Latency;
  readonly log: Log;
}

/** Hears what becomes of first attempts. */
export interface OfferListener {
  onStarted(id: string): void;
  /** The outcome is with the recorder. */
  onFinished(id: string): void;
  onRefused(ids: readonly string[]): void;
}

/**
 * Executes the commands of one leased endpoint and reports their results back as events. All
 * decisions are in `domain/leased-endpoint/transition.ts`.
 */
export class RunningEndpoint {
  readonly endpointid: string;
  readonly #deps: DeliveryDeps;
  readonly #onEnd: (isScanNeeded: boolean) => void;
  #state: LeasedEndpoint;
  /** Of the endpoint as last read. The state holds no secrets. */
  #keys: readonly KeyObject[] = [];
  /** Ids of deliveries under way or not stored yet: reads of due deliveries leave them out. */
  readonly #inFlight = new Set<string>();
  /** By the id of an offered delivery. */
  readonly #listeners = new Map<string, OfferListener>();

  constructor(
    deps: DeliveryDeps,
    queue: Queue,
    { claimedAtMs, onEnd }: { claimedAtMs: number; onEnd: (isScanNeeded: boolean) => void },
  ) {
    this.endpointid = queue.endpointid;
    this.#deps = deps;
    this.#onEnd = onEnd;
    this.#state = leaseEndpoint(queue, claimedAtMs);
  }

  get state(): LeasedEndpoint {
    return this.#state;
  }

  /** The fields that renew or release the lease; undefined once it is released. */
  get lease(): Pick<Queue, "endpointid" | "owner" | "mark" | "health"> | undefined {
    if (this.#state.phase === "released") return undefined;
    const { owner, mark } = this.#state.lease;
    return { endpointid: this.endpointid, owner, mark, health: this.#state.health };
  }

  dispatch(event: EndpointEvent): void {
    const { clock, uptimeMs } = this.#deps;
    const step = transition(this.#state, event, { now: clock(), uptimeMs: uptimeMs() });
    this.#state = step.state;
    for (const command of step.commands) this.#execute(command);
  }

  offer(deliveries: readonly UnstoredDelivery[], listener: OfferListener): void {
    for (const { id } of deliveries) this.#listeners.set(id, listener);
    this.dispatch({ kind: "firstAttemptsOffered", deliveries });
  }

  /** Takes back offers that are not started. */
  withdraw(ids: ReadonlySet<string>, isSlow: boolean): void {
    for (const id of ids) this.#listeners.delete(id);
    this.dispatch({ kind: "firstAttemptsWithdrawn", ids, isSlow });
  }

  #execute(command: Command): void {
    switch (command.kind) {
      case "readEndpoint":
        return void this.#read(() => this.#readEndpoint());
      case "dropBacklog":
        return void this.#read(() => this.#dropBacklog(command.until));
      case "readDue":
        return void this.#read(() => this.#readDue());
      case "send":
        return void this.#send(command, (result) => this.#deps.recorder.record(result));
      case "sendFirst":
        return this.#sendFirst(command);
      case "refuseFirst":
        return this.#refuseFirst(command.deliveries);
      case "storeHealth":
        return void this.#storeHealth();
      case "disable":
        return void disable(this.#deps, command.endpoint, command.reason);
      case "wakeAfter":
        setTimeout(() => this.dispatch({ kind: "woken" }), command.delayMs);
        return;
      case "release":
        return void this.#finishRelease(this.#release(command.isParked));
      case "markDue":
        return void this.#finishRelease(this.#markDue());
      case "end":
        return this.#onEnd(command.isScanNeeded);
      default:
        command satisfies never;
    }
  }

  async #read(step: () => Promise<EndpointEvent>): Promise<void> {
    const event = await step().catch((error: unknown): EndpointEvent => {
      const { endpointid } = this;
      this.#deps.log.warn({ err: error, endpointid }, "reading deliveries failed; will retry");
      return { kind: "readFailed" };
    });
    this.dispatch(event);
  }

  async #readEndpoint(): Promise<EndpointEvent> {
    const { queues, endpoints, secrets, clock } = this.#deps;
    const [queue, endpoint] = await Promise.all([
      queues.read(this.endpointid),
      endpoints.get(this.endpointid),
    ]);
    if (endpoint) this.#keys = secrets.open(endpoint, clock()).map(createSigningKey);
    return { kind: "endpointRead", queue, endpoint };
  }

  async #dropBacklog(until: Date): Promise<EndpointEvent> {
    const { deliveries, queues, clock } = this.#deps;
    const isDone = (await deliveries.drop(this.endpointid, until, clock())) === 0;
    if (isDone) await queues.finishDrop(this.endpointid, until);
    return { kind: "backlogDropped", isDone };
  }

  async #readDue(): Promise<EndpointEvent> {
    const { deliveries, clock } = this.#deps;
    const now = clock();
    const [due, nextDueAt] = await Promise.all([
      deliveries.due(this.endpointid, now, { except: [...this.#inFlight], limit: dueMax }),
      deliveries.nextDueAt(this.endpointid, now),
    ]);
    return { kind: "dueRead", due, nextDueAt };
  }

  async #send<Tried extends DueDelivery>(
    { delivery, url, wakeCount }: SendCommand<Tried>,
    record: (result: AttemptResult<Tried>) => Promise<void>,
  ): Promise<void> {
    const { metrics, latency, random } = this.#deps;
    this.#inFlight.add(delivery.id);
    const { answer, result } = await attempt(this.#deps, { url, keys: this.#keys }, delivery);
    const { milliseconds } = result.attempt;
    metrics.count(answer, milliseconds);
    if (answer.problem === null) latency.add(milliseconds);
    const stored = record(result);
    this.dispatch({ kind: "attemptFinished", answer, milliseconds, url, random: random() });
    await stored;
    this.#inFlight.delete(delivery.id);
    this.dispatch({ kind: "attemptStored", dueat: result.outcome.dueat, wakeCount });
  }

  #sendFirst(command: SendCommand<UnstoredDelivery>): void {
    const { id } = command.delivery;
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    listener?.onStarted(id);
    void this.#send(command, (result) => {
      const stored = this.#deps.recorder.recordFirst(result);
      listener?.onFinished(id);
      return stored;
    });
  }

  #refuseFirst(deliveries: readonly UnstoredDelivery[]): void {
    const byListener = Map.groupBy(deliveries, ({ id }) => this.#listeners.get(id));
    for (const { id } of deliveries) this.#listeners.delete(id);
    for (const [listener, own] of byListener) listener?.onRefused(own.map(({ id }) => id));
  }

  async #storeHealth(): Promise<void> {
    const { queues, clock, log } = this.#deps;
    const { endpointid, lease } = this;
    if (!lease) return;
    await queues.renew([lease], clock()).catch((error: unknown) => {
      log.warn({ err: error, endpointid }, "health not stored; the next lease renewal stores it");
    });
  }

  async #finishRelease(storing: Promise<"released" | "changed">): Promise<void> {
    const outcome = await storing.catch((error: unknown) => {
      const { endpointid } = this;
      this.#deps.log.warn({ err: error, endpointid }, "release failed; the lease will expire");
      return "failed" as const;
    });
    this.dispatch({ kind: "releaseFinished", outcome });
  }

  async #release(isParked: boolean): Promise<"released" | "changed"> {
    const { deliveries, queues } = this.#deps;
    const { endpointid, lease } = this;
    if (!lease) return "released";
    const dueAt = await deliveries.nextDueAt(endpointid);
    return (await queues.release(lease, { dueAt, isParked })) ? "released" : "changed";
  }

  async #markDue(): Promise<"released"> {
    const { queues, clock } = this.#deps;
    await queues.mark([{ endpointid: this.endpointid, enabled: false }], clock());
    return "released";
  }
}

async function disable(
  { clock, endpoints, log }: Pick<DeliveryDeps, "clock" | "endpoints" | "log">,
  { id, businessid, url }: Endpoint,
  reason: string,
): Promise<void> {
  const now = clock();
  try {
    await endpoints.update(businessid, id, { now }, (found) => {
      // A late answer from an old address says nothing about the new one.
      const isSameUrl = found.url === url;
      return ok({ entity: isSameUrl ? disableEndpoint(found, reason, now) : found, events: [] });
    });
    log.info({ endpointid: id, businessid, reason }, "endpoint disabled");
  } catch (error) {
    log.warn({ err: error, endpointid: id }, "disabling failed; the next failure will retry");
  }
}
