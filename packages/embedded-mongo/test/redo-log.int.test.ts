import { Buffer } from "node:buffer";
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { changesOf } from "../src/storage/redo-changes.ts";
import { epochAfter, fileOf } from "../src/storage/redo-epoch.ts";
import type { Epoch } from "../src/storage/redo-epoch.ts";
import { RedoLog } from "../src/storage/redo-log.ts";
import { RedoRecord } from "../src/storage/redo-record.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "embedded-mongo-redo-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function sealed(epoch: Epoch, rid: number, bytes: number): Buffer {
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

const pathOf = (epoch: Epoch) => join(dir, `redo-${fileOf(epoch)}`);

test("of a file that ends or is damaged anywhere, all records before that are read", () => {
  const epoch = epochAfter(undefined);
  const records = [1, 2, 3].map((rid) => sealed(epoch, rid, 10 * rid));
  const whole = Buffer.concat(records);
  const wholeBefore = (at: number): number[] => {
    const ends = records.map((_, i) => Buffer.concat(records.slice(0, i + 1)).length);
    return ends.flatMap((end, i) => (end <= at ? [i + 1] : []));
  };
  for (let at = 0; at <= whole.length; at++) {
    writeFileSync(pathOf(epoch), whole.subarray(0, at));
    expect(ridsFound(epoch)).toEqual(wholeBefore(at));
    if (at === whole.length) break;
    const damaged = Buffer.from(whole);
    damaged.writeUInt8(damaged.readUInt8(at) ^ 0x10, at);
    writeFileSync(pathOf(epoch), damaged);
    expect(ridsFound(epoch)).toEqual(wholeBefore(at));
  }
});

test("an epoch leaves the file of the one before alone, and nothing of older ones is read", () => {
  const first = epochAfter(undefined);
  const second = epochAfter(first);
  const third = epochAfter(second);
  const log = new RedoLog(dir, first);
  log.begin(first);
  for (const rid of [1, 2, 3]) log.append(sealed(first, rid, 20));
  log.begin(second);
  log.append(sealed(second, 4, 20));
  expect(ridsFound(first)).toEqual([1, 2, 3]);
  log.begin(third);
  expect(ridsFound(third)).toEqual([]);
  log.append(sealed(third, 5, 20));
  log.close();
  expect(ridsFound(second)).toEqual([4]);
  expect(ridsFound(third)).toEqual([5]);
  expect(readFileSync(pathOf(first)).length).toBe(3 * sealed(first, 1, 20).length);
  truncateSync(pathOf(third), sealed(third, 5, 20).length - 1);
  expect(ridsFound(third)).toEqual([]);
});
