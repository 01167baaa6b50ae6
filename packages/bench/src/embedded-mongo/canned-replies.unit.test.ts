import { BSON } from "mongodb";
import { expect, test } from "vitest";
import { cannedBodies, firstReplyTemplate, messageTemplate, replyFrom } from "./canned-replies.ts";
import { invoiceDocument, positionsBelow } from "./invoice-documents.ts";

test("replyFrom returns a complete message with the id of the request", () => {
  const template = messageTemplate({ ok: 1, n: 3 });
  const reply = replyFrom(template, 77);
  expect(reply.readInt32LE(0)).toBe(reply.length);
  expect(reply.readInt32LE(8)).toBe(77);
  expect(reply.readInt32LE(12)).toBe(2013);
  expect(BSON.deserialize(reply.subarray(21))).toEqual({ ok: 1, n: 3 });
  expect(template.readInt32LE(8)).toBe(0);
});

test("firstReplyTemplate contains one document in the older form of the protocol", () => {
  const reply = firstReplyTemplate({ ok: 1 });
  expect(reply.readInt32LE(12)).toBe(1);
  expect(reply.readInt32LE(32)).toBe(1);
  expect(BSON.deserialize(reply.subarray(36))).toEqual({ ok: 1 });
});

test("the canned find reply contains a document as the store holds it", () => {
  const reply = messageTemplate(cannedBodies("bench.invoices")["find"] ?? {});
  const { cursor } = BSON.deserialize(reply.subarray(21)) as { cursor: { firstBatch: unknown } };
  expect(cursor.firstBatch).toEqual([invoiceDocument(0)]);
});

test("positionsBelow repeats its positions for a seed, and stays below the bound", () => {
  const [one, two] = [positionsBelow(50, 7), positionsBelow(50, 7)];
  const drawn = Array.from({ length: 1_000 }, one);
  expect(Array.from({ length: 1_000 }, two)).toEqual(drawn);
  expect(drawn.every((position) => Number.isInteger(position) && position >= 0)).toBe(true);
  expect(new Set(drawn).size).toBe(50);
});
