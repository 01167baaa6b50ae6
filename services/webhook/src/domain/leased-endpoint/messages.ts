import type { Answer, DueDelivery, UnstoredDelivery } from "../delivery.ts";
import type { Endpoint } from "../endpoint.ts";
import type { Queue } from "../queue.ts";

/** Something that happened to a leased endpoint. */
export type EndpointEvent =
  /** There may be new deliveries in the store. */
  | { readonly kind: "woken" }
  | { readonly kind: "leaseRenewed"; readonly renewedAtMs: number; readonly mark?: string }
  | { readonly kind: "leaseLost" }
  /** The service stops. */
  | { readonly kind: "stopping" }
  | { readonly kind: "firstAttemptsOffered"; readonly deliveries: readonly UnstoredDelivery[] }
  /** The sender of the offer waits no longer. `isSlow`: some of them are still under way. */
  | {
      readonly kind: "firstAttemptsWithdrawn";
      readonly ids: ReadonlySet<string>;
      readonly isSlow: boolean;
    }
  | {
      readonly kind: "endpointRead";
      readonly queue: Queue | null;
      readonly endpoint: Endpoint | null;
    }
  | { readonly kind: "backlogDropped"; readonly isDone: boolean }
  | {
      readonly kind: "dueRead";
      readonly due: readonly DueDelivery[];
      readonly nextDueAt: Date | null;
    }
  | { readonly kind: "readFailed" }
  | {
      readonly kind: "attemptFinished";
      readonly answer: Answer;
      readonly milliseconds: number;
      /** The address that the request went to. */
      readonly url: string;
      /** From 0 to 1, for the jitter of a rest. */
      readonly random: number;
    }
  | {
      readonly kind: "attemptStored";
      readonly dueat: Date | null;
      /** As in the command that started the attempt. */
      readonly wakeCount: number;
    }
  /** A timer asks whether the endpoint is still needed. `hasRoom`: the worker can keep more. */
  | { readonly kind: "idleChecked"; readonly hasRoom: boolean; readonly quickMs: number }
  | { readonly kind: "releaseFinished"; readonly outcome: "released" | "changed" | "failed" };

export type EndpointEventOf<Kind extends EndpointEvent["kind"]> = Extract<
  EndpointEvent,
  { kind: Kind }
>;

export interface SendCommand<Tried extends DueDelivery> {
  readonly delivery: Tried;
  readonly url: string;
  readonly wakeCount: number;
}

/** A step that the worker executes. A command that ends with an event names the event. */
export type Command =
  /** Ends with `endpointRead` or `readFailed`. */
  | { readonly kind: "readEndpoint" }
  /** Drops one batch of the waiting deliveries. Ends with `backlogDropped` or `readFailed`. */
  | { readonly kind: "dropBacklog"; readonly until: Date }
  /** Ends with `dueRead` or `readFailed`. */
  | { readonly kind: "readDue" }
  /** Ends with `attemptFinished`, then `attemptStored`. */
  | ({ readonly kind: "send" } & SendCommand<DueDelivery>)
  /** As `send`, for a delivery that is stored together with its outcome. */
  | ({ readonly kind: "sendFirst" } & SendCommand<UnstoredDelivery>)
  /** These first attempts are not made here. */
  | { readonly kind: "refuseFirst"; readonly deliveries: readonly UnstoredDelivery[] }
  /** Stores the health, so that other workers see it and a crash does not lose it. */
  | { readonly kind: "storeHealth" }
  | { readonly kind: "disable"; readonly endpoint: Endpoint; readonly reason: string }
  /** Ends with `woken`. */
  | { readonly kind: "wakeAfter"; readonly delayMs: number }
  /** Ends with `releaseFinished`. */
  | { readonly kind: "release"; readonly isParked: boolean }
  /**
   * Another worker has the lease and may have missed outcomes that were stored here: makes it read
   * again. Ends with `releaseFinished`.
   */
  | { readonly kind: "markDue" }
  | { readonly kind: "end"; readonly isScanNeeded: boolean };
