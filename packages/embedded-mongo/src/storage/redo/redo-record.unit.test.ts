import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf } from "./redo-changes.ts";
import type { Change } from "./redo-changes.ts";
import { nextEpoch } from "./redo-epoch.ts";
import { payloadBytesOf, headerBytes, isComplete, RedoRecord } from "./redo-record.ts";

const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array));
const place = {
  collection: fc.nat(2 ** 32 - 1),
  rid: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
};
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom("insert", "replace"), ...place, document: bytes }),
  fc.record({ kind: fc.constant("remove"), ...place }),
  fc.record({
    kind: fc.constant("session"),
    session: bytes,
    number: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
    usedAt: fc.nat(),
    record: bytes,
  }),
);
const epoch = nextEpoch(undefined);

function sealed(changes: readonly Change[]): Buffer {
  const record = new RedoRecord();
  for (const one of changes) record.add(one);
  return Buffer.from(record.seal(epoch));
}

/** The changes in the record, or undefined if the record is incomplete. */
function changesIn(file: Buffer): Change[] | undefined {
  const header = file.subarray(0, headerBytes);
  const length = payloadBytesOf(header, epoch);
  if (length === undefined) return undefined;
  const payload = file.subarray(headerBytes, headerBytes + length);
  return isComplete(header, payload) ? [...changesOf(payload)] : undefined;
}

test("a redo record returns its changes in the order they were added", () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      expect(changesIn(sealed(changes))).toEqual(changes);
    }),
  );
});

test("a redo record is rejected when it is cut or has a damaged bit at any byte", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(7), (changes, bit) => {
      const record = sealed(changes);
      for (let at = 0; at < record.length; at++) {
        expect(changesIn(record.subarray(0, at))).toBeUndefined();
        const damaged = Buffer.from(record);
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
        expect(changesIn(damaged)).toBeUndefined();
      }
    }),
    { numRuns: 30 },
  );
});

test("a redo record can be truncated to a mark, also after it exceeded its limit", () => {
  const record = new RedoRecord();
  const insert = (length: number): void =>
    record.add({ kind: "insert", collection: 1, rid: length, document: Buffer.alloc(length) });
  expect(record.isEmpty).toBe(true);
  insert(1);
  const { mark } = record;
  insert(1_000_000);
  insert(17 * 1024 * 1024);
  insert(2);
  expect(record.isTooLarge).toBe(true);
  record.truncateTo(mark);
  expect(record.isTooLarge).toBe(false);
  expect(changesIn(record.seal(epoch))).toHaveLength(1);
  record.clear();
  expect(record.isEmpty).toBe(true);
});
