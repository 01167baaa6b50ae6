import { Buffer } from "node:buffer";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf } from "./redo-changes.ts";
import type { Change } from "./redo-changes.ts";
import { epochAfter } from "./redo-epoch.ts";
import { announcedBytes, headerBytes, isWhole, RedoRecord } from "./redo-record.ts";

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
const epoch = epochAfter(undefined);

function sealed(changes: readonly Change[]): Buffer {
  const record = new RedoRecord();
  for (const one of changes) record.add(one);
  return Buffer.from(record.seal(epoch));
}

/** What the record holds, if all of it is there. */
function heldBy(file: Buffer): Change[] | undefined {
  const header = file.subarray(0, headerBytes);
  const length = announcedBytes(header, epoch);
  if (length === undefined) return undefined;
  const payload = file.subarray(headerBytes, headerBytes + length);
  return isWhole(header, payload) ? [...changesOf(payload)] : undefined;
}

test("a record gives back what was put in, in its order", () => {
  fc.assert(
    fc.property(fc.array(change), (changes) => {
      expect(heldBy(sealed(changes))).toEqual(changes);
    }),
  );
});

test("a record that was cut anywhere is none, nor is one with a damaged byte anywhere", () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), fc.nat(7), (changes, bit) => {
      const record = sealed(changes);
      for (let at = 0; at < record.length; at++) {
        expect(heldBy(record.subarray(0, at))).toBeUndefined();
        const damaged = Buffer.from(record);
        damaged.writeUInt8(damaged.readUInt8(at) ^ (1 << bit), at);
        expect(heldBy(damaged)).toBeUndefined();
      }
    }),
    { numRuns: 30 },
  );
});

test("a record goes back to a mark, past its bound as well", () => {
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
  record.backTo(mark);
  expect(record.isTooLarge).toBe(false);
  expect(heldBy(record.seal(epoch))).toHaveLength(1);
  record.clear();
  expect(record.isEmpty).toBe(true);
});
