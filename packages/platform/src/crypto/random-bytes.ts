import { randomBytes } from "node:crypto";
import { assert } from "@malipo/core";

const poolLength = 4_096;
let pool = Buffer.alloc(0);
let offset = 0;

/**
 * Random bytes from a pool, each given out once: a call of `randomBytes` costs more than its bytes. A
 * new pool is a new buffer, so bytes given out earlier never change.
 */
export function drawRandomBytes(count: number): Buffer {
  assert(count <= poolLength, `at most ${poolLength} random bytes at once`);
  if (offset + count > pool.length) {
    pool = randomBytes(poolLength);
    offset = 0;
  }
  offset += count;
  return pool.subarray(offset - count, offset);
}
