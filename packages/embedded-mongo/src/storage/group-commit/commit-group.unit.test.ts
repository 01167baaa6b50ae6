import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { CommitGroup } from "./commit-group.ts";

/** A commit group over a journal whose syncs end when the test calls them. */
function groupOverSlowDisk() {
  const syncs: (() => void)[] = [];
  const events: string[] = [];
  const group = new CommitGroup({
    endGroup: () => undefined,
    rollBack: () => undefined,
    restoreIfLost: () => undefined,
    startSync: (done: () => void) => void syncs.push(done),
    syncNow: () => void events.push("disk"),
    commitWhenIdle: () => true,
  });
  const waitAs = (name: string, readNamespace?: string): void =>
    group.whenDurable(
      { onDurable: () => events.push(name), onFailed: () => events.push(`${name} failed`) },
      readNamespace,
    );
  const write = (name: string, namespace?: string): void => {
    group.join(undefined, namespace);
    waitAs(name);
  };
  return { group, syncs, events, write, read: waitAs };
}

test("the group answers writers and later readers only after the sync", async () => {
  const { group, syncs, events, write, read } = groupOverSlowDisk();
  read("before");
  write("write");
  await nextTurn();
  expect(group.isOpen).toBe(false);
  read("reader");
  expect(events).toEqual(["before"]);
  syncs.shift()?.();
  expect(events).toEqual(["before", "write", "reader"]);
});

test("the group answers a read at once when its collection has no pending writes", async () => {
  const { syncs, events, write, read } = groupOverSlowDisk();
  const readBoth = (moment: string) => {
    read(`one ${moment}`, "db.one");
    read(`other ${moment}`, "db.other");
  };
  write("write", "db.one");
  readBoth("open");
  await nextTurn();
  readBoth("syncing");
  write("second", "db.other");
  readBoth("again");
  expect(events).toEqual(["other open", "other syncing"]);
  syncs.shift()?.();
  readBoth("later");
  expect(events.slice(2)).toEqual(["write", "one open", "one syncing", "one later"]);
  await nextTurn();
  syncs.shift()?.();
  readBoth("at last");
  const waited = ["second", "one again", "other again", "other later"];
  expect(events.slice(6)).toEqual([...waited, "one at last", "other at last"]);
});

test("a write without a known collection makes all reads wait for the disk", async () => {
  const { syncs, events, write, read } = groupOverSlowDisk();
  write("write", "db.one");
  write("anywhere");
  read("reader", "db.other");
  await nextTurn();
  expect(events).toEqual([]);
  syncs.shift()?.();
  expect(events).toEqual(["write", "anywhere", "reader"]);
});

test("writes that arrive during a sync form one group and commit after the sync", async () => {
  const { group, syncs, events, write } = groupOverSlowDisk();
  write("first");
  await nextTurn();
  write("second");
  await nextTurn();
  write("third");
  await nextTurn();
  expect(group.commits).toBe(1);
  syncs.shift()?.();
  await nextTurn();
  expect(events).toEqual(["first"]);
  expect(group.commits).toBe(2);
  expect(syncs).toHaveLength(1);
  syncs.shift()?.();
  expect(events).toEqual(["first", "second", "third"]);
});

test("a group that is committed during a sync waits for a sync of its own, even without a writer", async () => {
  const { group, syncs, events, write, read } = groupOverSlowDisk();
  write("first");
  await nextTurn();
  group.join();
  group.commit();
  read("reader");
  syncs.shift()?.();
  expect(events).toEqual(["first"]);
  syncs.shift()?.();
  expect(events).toEqual(["first", "reader"]);
  expect(syncs).toEqual([]);
});

test("finish answers all waiters once, after the disk has their writes", async () => {
  const { group, syncs, events, write } = groupOverSlowDisk();
  write("first");
  await nextTurn();
  write("second");
  group.finish();
  expect(events).toEqual(["disk", "first", "second"]);
  syncs.shift()?.();
  expect(events).toEqual(["disk", "first", "second"]);
});
