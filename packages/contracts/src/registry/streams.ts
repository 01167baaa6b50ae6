import { dayMs } from "@malipo/core";
import type { ServiceName } from "../definition/service-name.ts";
import type { StreamContract, StreamKey } from "../definition/stream.ts";

export const streams: { readonly [key in StreamKey]: StreamContract } = {
  event: { subjects: "event.>", maxAgeMs: 14 * dayMs },
  callback: { subjects: "callback.>", maxAgeMs: 14 * dayMs },
  dead: { subjects: "dead.>", maxAgeMs: 14 * dayMs },
};

/** The one service that creates the streams, and recreates them after a loss. */
export const streamOwner: ServiceName = "gateway";
