import { DatabaseSync } from "node:sqlite";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { CommitGroup } from "./commit-group.ts";

/** A group over a store in memory, and a log that is on disk when the test says so. */
function groupOverSlowDisk() {
  const sql = new DatabaseSync(":memory:");
  sql.exec("CREATE TABLE written (n INTEGER)");
  const syncs: (() => void)[] = [];
  const told: string[] = [];
  const log = {
    start: (done: () => void) => void syncs.push(done),
    now: () => void told.push("disk"),
  };
  const group = new CommitGroup(sql, log, () => undefined);
  const waitAs = (name: string): void =>
    group.whenCommitted({
      committed: () => told.push(name),
      failed: () => told.push(`${name} failed`),
    });
  const write = (name: string): void => {
    group.join();
    sql.exec("INSERT INTO written VALUES (1)");
    waitAs(name);
  };
  return { group, syncs, told, write, read: waitAs };
}

test("nobody is answered before the disk has it, who only reads it neither", async () => {
  const { group, syncs, told, write, read } = groupOverSlowDisk();
  read("before");
  write("write");
  await turn();
  expect(group.isOpen).toBe(false);
  read("reader");
  expect(told).toEqual(["before"]);
  syncs.shift()?.();
  expect(told).toEqual(["before", "write", "reader"]);
});

test("what comes while the disk is at work is one group, committed when it is done", async () => {
  const { group, syncs, told, write } = groupOverSlowDisk();
  write("first");
  await turn();
  write("second");
  await turn();
  write("third");
  await turn();
  expect(group.commits).toBe(1);
  syncs.shift()?.();
  await turn();
  expect(told).toEqual(["first"]);
  expect(group.commits).toBe(2);
  expect(syncs).toHaveLength(1);
  syncs.shift()?.();
  expect(told).toEqual(["first", "second", "third"]);
});

test("a group that is ended early waits for a sync of its own, with or without a writer", async () => {
  const { group, syncs, told, write, read } = groupOverSlowDisk();
  write("first");
  await turn();
  group.join();
  group.commit();
  read("reader");
  syncs.shift()?.();
  expect(told).toEqual(["first"]);
  syncs.shift()?.();
  expect(told).toEqual(["first", "reader"]);
  expect(syncs).toEqual([]);
});

test("at the end everybody is answered, after the disk", async () => {
  const { group, syncs, told, write } = groupOverSlowDisk();
  write("first");
  await turn();
  write("second");
  group.finish();
  expect(told).toEqual(["disk", "first", "second"]);
  syncs.shift()?.();
  expect(told).toEqual(["disk", "first", "second"]);
});
