import { AsyncLocalStorage } from "node:async_hooks";

const scope = new AsyncLocalStorage<string>();

/** Requests and events that the work causes belong to this trace, unless they name another. */
export function runInTrace<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceparent === undefined ? work() : scope.run(traceparent, work);
}

/** The traceparent that the running work belongs to. */
export function currentTrace(): string | undefined {
  return scope.getStore();
}
