import { cpuPerOperationDuring } from "../cpu.ts";
import type { Contender } from "../rounds.ts";
import { keepInFlight } from "./in-flight.ts";
import type { Operation } from "./operations.ts";
import type { ServerUnderLoad } from "./server-under-load.ts";

/** One operation, repeated on one server with that many in flight. */
export function loadContender(
  name: string,
  server: ServerUnderLoad,
  inFlight: number,
  operation: Operation,
  restore?: Operation,
): Contender {
  return {
    name,
    measure: (seconds) =>
      cpuPerOperationDuring(server.parts, () => keepInFlight(inFlight, seconds, operation)),
    ...(restore === undefined ? {} : { restore: async () => void (await restore()) }),
  };
}
