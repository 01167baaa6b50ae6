import { Buffer } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changesOf } from "../src/storage/redo/redo-changes.ts";
import { nextEpoch, fileIndexOf } from "../src/storage/redo/redo-epoch.ts";
import type { Epoch } from "../src/storage/redo/redo-epoch.ts";
import { RedoLog } from "../src/storage/redo/redo-log.ts";
import { RedoRecord } from "../src/storage/redo/redo-record.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "embedded-mongo-redo-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function sealedRecord(epoch: Epoch, rid: number, bytes: number): Buffer {
  const record = new RedoRecord();
  record.add({ kind: "insert", collection: 1, rid, document: Buffer.alloc(bytes, rid) });
  return Buffer.from(record.seal(epoch));
}

function ridsFound(epoch: Epoch): number[] {
  const log = new RedoLog(dir, epoch);
  const changes = [...log.payloads()].flatMap((payload) => [...changesOf(payload)]);
  log.close();
  return changes.map((change) => (change.kind === "session" ? 0 : change.rid));
}

const pathOf = (epoch: Epoch) => join(dir, `redo-${fileIndexOf(epoch)}`);

test("the redo log returns all records before a cut or a damaged byte", () => {
  const epoch = nextEpoch(undefined);
  const records = [1, 2, 3].map((rid) => sealedRecord(epoch, rid, 10 * rid));
  const allBytes = Buffer.concat(records);
  const completeRecordsBefore = (at: number): number[] => {
    const ends = records.map((_, i) => Buffer.concat(records.slice(0, i + 1)).length);
    return ends.flatMap((end, i) => (end <= at ? [i + 1] : []));
  };
  for (let at = 0; at <= allBytes.length; at++) {
    writeFileSync(pathOf(epoch), allBytes.subarray(0, at));
    expect(ridsFound(epoch)).toEqual(completeRecordsBefore(at));
    if (at === allBytes.length) break;
    const damaged = Buffer.from(allBytes);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
    writeFileSync(pathOf(epoch), damaged);
    expect(ridsFound(epoch)).toEqual(completeRecordsBefore(at));
  }
});

test("an epoch keeps the file of the previous epoch, and records of older epochs are not read", () => {
  const first = nextEpoch(undefined);
  const second = nextEpoch(first);
  const third = nextEpoch(second);
  const log = new RedoLog(dir, first);
  log.begin(first);
  for (const rid of [1, 2, 3]) log.append(sealedRecord(first, rid, 20));
  log.begin(second);
  log.append(sealedRecord(second, 4, 20));
  expect(ridsFound(first)).toEqual([1, 2, 3]);
  log.begin(third);
  expect(ridsFound(third)).toEqual([]);
  log.append(sealedRecord(third, 5, 20));
  log.close();
  expect(ridsFound(second)).toEqual([4]);
  expect(ridsFound(third)).toEqual([5]);
  expect(readFileSync(pathOf(first)).length).toBe(3 * sealedRecord(first, 1, 20).length);
  truncateSync(pathOf(third), sealedRecord(third, 5, 20).length - 1);
  expect(ridsFound(third)).toEqual([]);
});
