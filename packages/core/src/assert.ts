/** A broken promise of our own code. It is never the caller's fault, so it is never shown to a caller. */
export class AssertionFailed extends Error {
  override readonly name = "AssertionFailed";
}

export function assert(condition: boolean, promise: string): asserts condition {
  if (!condition) throw new AssertionFailed(promise);
}
