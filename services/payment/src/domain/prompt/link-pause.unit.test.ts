import { addMs, hourMs, minuteMs } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { pausedUntil, type UnansweredPrompt } from "./link-pause.ts";

const start = new Date("2026-11-21T09:00:00Z");
const at = (minutes: number) => addMs(start, minutes * minuteMs);

/** The newest first, one a minute, the last one at the start. */
function unanswered(count: number, askedfrom: (nth: number) => string | null): UnansweredPrompt[] {
  return Array.from({ length: count }, (_, nth) => ({
    createdat: at(-nth),
    askedfrom: askedfrom(nth),
    askednetwork: null,
  }));
}

/** Each from an address of its own. */
function ofNetworks(networks: number): UnansweredPrompt[] {
  return unanswered(59, (nth) => `address ${nth}`).map((each, nth) => ({
    ...each,
    askednetwork: `network ${nth % networks}`,
  }));
}

describe("the pause of a link", () => {
  it("follows thirty unanswered prompts of ten addresses, and lasts an hour", () => {
    const prompts = unanswered(30, (nth) => `address ${nth % 10}`);
    expect(pausedUntil(prompts, at(1))).toEqual(addMs(start, hourMs));
    expect(pausedUntil(prompts, addMs(start, hourMs))).toBeNull();
    expect(pausedUntil(prompts.slice(1), at(1))).toBeNull();
  });

  it("does not follow any number of prompts of nine addresses", () => {
    expect(
      pausedUntil(
        unanswered(59, (nth) => `address ${nth % 9}`),
        at(1),
      ),
    ).toBeNull();
  });

  it("counts the addresses of one IPv6 network as one", () => {
    expect(pausedUntil(ofNetworks(9), at(1))).toBeNull();
    expect(pausedUntil(ofNetworks(10), at(1))).toEqual(addMs(start, hourMs));
  });

  it("does not follow thirty prompts that took an hour", () => {
    const slow = unanswered(30, (nth) => `address ${nth}`).map((each, nth) => ({
      ...each,
      createdat: at(-nth * 2.1),
    }));
    expect(pausedUntil(slow, at(1))).toBeNull();
  });

  it("counts prompts without an address one by one, as the previous release sent them", () => {
    expect(
      pausedUntil(
        unanswered(30, () => null),
        at(1),
      ),
    ).toEqual(addMs(start, hourMs));
  });
});
