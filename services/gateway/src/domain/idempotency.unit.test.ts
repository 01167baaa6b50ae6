import { dayMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { effectOnKey, type KeyState, newKeyRecord, readKey, stateOfKey } from "./idempotency.ts";

const now = new Date("2026-11-21T08:00:00Z");
const after = (ms: number) => new Date(now.getTime() + ms);
const key = newKeyRecord(
  { id: "key", attemptid: "attempt", operationid: "operation", fingerprint: "same" },
  after(5_000),
  now,
);

describe("the header Idempotency-Key", () => {
  it.each(["a", "order 17", "x".repeat(255), "8e03978e-40d5-43e8-bc93-6894a57f9324"])(
    "may be %j, bare or quoted",
    (text) => {
      expect(readKey(text)).toEqual({ ok: true, value: text });
      expect(readKey(`"${text}"`)).toEqual({ ok: true, value: text });
    },
  );

  it.each(["", '""', "x".repeat(256), "ключ", "a\tb"])("must not be %j", (text) => {
    expect(readKey(text)).toMatchObject({
      ok: false,
      error: { status: 400, code: "invalid_idempotency_key" },
    });
  });
});

describe("the state of an idempotency key", () => {
  it.each<[string, KeyState, string, number]>([
    ["running under its lease", { kind: "running", retryAfterSeconds: 7 }, "same", 0],
    ["running until the lease ends", { kind: "running", retryAfterSeconds: 1 }, "same", 6_999],
    ["resumable two seconds after the deadline", { kind: "resumable" }, "same", 7_000],
    ["a mismatch for another request under the lease", { kind: "mismatch" }, "other", 0],
    ["a mismatch for another request after the lease", { kind: "mismatch" }, "other", 7_000],
    ["resumable up to a day", { kind: "resumable" }, "same", dayMs - 1],
    ["expired after a day", { kind: "expired" }, "same", dayMs],
    ["expired after a day for another request too", { kind: "expired" }, "other", dayMs],
  ])("is %s", (_name, state, fingerprint, ms) => {
    expect(stateOfKey(key, fingerprint, after(ms))).toEqual(state);
  });
});

it.each([
  [200, "store"],
  [201, "store"],
  [400, "free"],
  [403, "free"],
  [404, "free"],
  [409, "free"],
  [422, "store"],
  [429, "free"],
  [500, "resume"],
  [503, "resume"],
  [504, "resume"],
] as const)("a response with status %d lets its key %s", (status, effect) => {
  expect(effectOnKey(status)).toBe(effect);
});
