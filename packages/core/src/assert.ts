/** A bug in our own code. A caller never caused it, so the message is never shown to one. */
export class AssertionFailed extends Error {
  override readonly name = "AssertionFailed";
}

/** `expectation` says what must be true; it becomes the error's message. */
export function assert(condition: boolean, expectation: string): asserts condition {
  if (!condition) throw new AssertionFailed(expectation);
}
