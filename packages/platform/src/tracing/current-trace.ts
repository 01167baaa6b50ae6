import { AsyncLocalStorage } from "node:async_hooks";

const scope = new AsyncLocalStorage<string>();

/** Whatever the work asks for or causes belongs to this trace, unless it says otherwise. */
export function runInTrace<Result>(traceparent: string | undefined, work: () => Result): Result {
  return traceparent === undefined ? work() : scope.run(traceparent, work);
}

/** The traceparent of the work that is being done. */
export function presentTrace(): string | undefined {
  return scope.getStore();
}
