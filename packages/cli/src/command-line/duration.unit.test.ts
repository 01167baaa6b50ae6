import { dayMs, hourMs, minuteMs, secondMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { parseDuration, parseSince } from "./duration.ts";

const now = new Date("2026-08-31T12:00:00.000Z");

describe("parseDuration", () => {
  it.each([
    ["0", 0],
    ["45s", 45 * secondMs],
    ["30m", 30 * minuteMs],
    ["24h", 24 * hourMs],
    ["7d", 7 * dayMs],
  ])("parses %s", (text, ms) => {
    expect(parseDuration("--overlap", text)).toBe(ms);
  });

  it.each(["", "7", "h", "-1h", "1.5h", "1h30m", "7D", "1w", "1 h", "constructor", "9999999d"])(
    "rejects %j",
    (text) => {
      expect(() => parseDuration("--overlap", text)).toThrow(/--overlap must be a duration/);
    },
  );
});

describe("parseSince", () => {
  it.each([
    ["7d", "2026-08-24T12:00:00.000Z"],
    ["0", "2026-08-31T12:00:00.000Z"],
    ["2026-08-01", "2026-07-31T21:00:00.000Z"],
    ["2026-08-01T10:00Z", "2026-08-01T10:00:00.000Z"],
    ["2026-08-01T10:00:00.5Z", "2026-08-01T10:00:00.500Z"],
    ["2026-08-01T10:00:00+03:00", "2026-08-01T07:00:00.000Z"],
  ])("parses %s at 2026-08-31T12:00Z as %s", (text, moment) => {
    expect(parseSince("--since", text, now).toISOString()).toBe(moment);
  });

  it.each([
    "",
    "yesterday",
    "2026-02-31",
    "2026-02-31T00:00:00Z",
    "2026-8-1",
    "2026-08-01T10:00",
    "2026-08-01T25:00:00Z",
    "2026-08-01T",
    "20260801",
  ])("rejects %j", (text) => {
    expect(() => parseSince("--since", text, now)).toThrow(/--since must be a date/);
  });
});
