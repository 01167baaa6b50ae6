import { randomBytes } from "node:crypto";
import { assert } from "@malipo/core";

const supplyLength = 4_096;
let drawn = Buffer.alloc(0);
let at = 0;

/**
 * A few random bytes, given out once: randomness costs by the asking more than by the byte. They stay
 * where they were drawn, and each supply has a place of its own.
 */
export function fewRandomBytes(count: number): Buffer {
  assert(count <= supplyLength, `at most ${supplyLength} random bytes are drawn at once`);
  if (at + count > drawn.length) {
    drawn = randomBytes(supplyLength);
    at = 0;
  }
  at += count;
  return drawn.subarray(at - count, at);
}
