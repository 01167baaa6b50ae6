import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { CommitGroup } from "./commit-group.ts";

/** A group over a log that is on disk when the test says so. */
function groupOverSlowDisk() {
  const syncs: (() => void)[] = [];
  const told: string[] = [];
  const group = new CommitGroup({
    end: () => undefined,
    undo: () => undefined,
    undoIfLost: () => undefined,
    startSync: (done: () => void) => void syncs.push(done),
    syncNow: () => void told.push("disk"),
    commitWhenIdle: () => true,
  });
  const waitAs = (name: string, read?: string): void =>
    group.whenCommitted(
      { committed: () => told.push(name), failed: () => told.push(`${name} failed`) },
      read,
    );
  const write = (name: string, namespace?: string): void => {
    group.join(undefined, namespace);
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

test("who reads where nothing is being written is answered at once", async () => {
  const { syncs, told, write, read } = groupOverSlowDisk();
  const readBoth = (moment: string) => {
    read(`one ${moment}`, "db.one");
    read(`other ${moment}`, "db.other");
  };
  write("write", "db.one");
  readBoth("open");
  await turn();
  readBoth("syncing");
  write("second", "db.other");
  readBoth("again");
  expect(told).toEqual(["other open", "other syncing"]);
  syncs.shift()?.();
  readBoth("later");
  expect(told.slice(2)).toEqual(["write", "one open", "one syncing", "one later"]);
  await turn();
  syncs.shift()?.();
  readBoth("at last");
  const waited = ["second", "one again", "other again", "other later"];
  expect(told.slice(6)).toEqual([...waited, "one at last", "other at last"]);
});

test("a write that may be anywhere lets nobody read before it is on disk", async () => {
  const { syncs, told, write, read } = groupOverSlowDisk();
  write("write", "db.one");
  write("anywhere");
  read("reader", "db.other");
  await turn();
  expect(told).toEqual([]);
  syncs.shift()?.();
  expect(told).toEqual(["write", "anywhere", "reader"]);
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
