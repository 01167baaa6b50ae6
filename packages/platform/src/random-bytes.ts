import { randomFillSync } from "node:crypto";
import { assert } from "@malipo/core";

const drawn = new Uint8Array(4_096);
let at = drawn.length;

/** A few random bytes, given out once. Randomness costs by the asking more than by the byte. */
export function fewRandomBytes(count: number): Uint8Array {
  assert(count <= drawn.length, `at most ${drawn.length} random bytes are drawn at once`);
  if (at + count > drawn.length) {
    randomFillSync(drawn);
    at = 0;
  }
  at += count;
  return drawn.slice(at - count, at);
}
