import { readFileSync } from "node:fs";
import { sandboxNumbers } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { behaviourFor } from "./choose-behaviour.ts";
import { magicBehaviour } from "./magic-numbers.ts";
import { draw, faultNames, randomBehaviour } from "./random-faults.ts";

const groups: readonly {
  id: string;
  title: string;
  range: string;
  about: string;
  numbers: readonly { number: string; what: string }[];
}[] = sandboxNumbers;

describe.each(groups)("the numbers of $range", ({ range, numbers }) => {
  it("are in their range, in order, and told once", () => {
    const pattern = new RegExp(`^${range.replaceAll("X", String.raw`\d`)}$`);
    const all = numbers.map(({ number }) => number);
    for (const number of all) expect(number).toMatch(pattern);
    expect(all).toEqual([...new Set(all)].toSorted());
  });

  it("are all magic", () => {
    for (const { number } of numbers) expect(magicBehaviour(number)).toBeDefined();
  });
});

it.each(["254712345678", "254700100700", "254700100199", "254700200000", "25470000000", ""])(
  "%s is like any other",
  (phone) => {
    expect(magicBehaviour(phone)).toBeUndefined();
  },
);

/** Cells as they are, whatever the width of the columns. */
const rowsIn = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("the README", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

  it.each(groups)("tells of $title", ({ title, range, about, numbers }) => {
    const section = readme.split(`\n### ${title}\n`)[1]?.split("\n#")[0] ?? "";
    expect(section.replaceAll(/\s+/g, " ")).toContain(`\`${range}\` ${about}`);
    expect(rowsIn(section)).toEqual([
      ["Number", "What happens"],
      ...numbers.map(({ number, what }) => [`\`${number}\``, what]),
    ]);
  });
});

const rates = (rate: number) =>
  Object.fromEntries(faultNames.map((name) => [name, rate])) as Record<
    (typeof faultNames)[number],
    number
  >;

const some = (seed: number, phone: string) =>
  Array.from({ length: 50 }, (_, nth) => {
    const { answer, result, query } = randomBehaviour(rates(0.3), seed, phone, nth);
    return { answer, result, query };
  });

describe("random faults", () => {
  it("never happen at a rate of nothing", () => {
    for (let nth = 1; nth <= 200; nth += 1) {
      expect(randomBehaviour(rates(0), 1, "254712345678", nth)).toEqual({
        answer: { kind: "accepted", slow: false },
        prompts: true,
        result: "0",
        deliveries: [{ when: "ended" }],
        query: { kind: "truth" },
      });
    }
  });

  it("are the same for the same seed, phone and request, and others for others", () => {
    expect(some(7, "254712345678")).toEqual(some(7, "254712345678"));
    expect(some(7, "254712345678")).not.toEqual(some(8, "254712345678"));
    expect(some(7, "254712345678")).not.toEqual(some(7, "254712345679"));
  });

  it("happen as often as they are to", () => {
    const draws = Array.from({ length: 4_000 }, (_, nth) => draw(1, "any", nth));
    for (const rate of [0.1, 0.5, 0.9]) {
      expect(draws.filter((one) => one < rate).length / draws.length).toBeCloseTo(rate, 1);
    }
  });

  it("leave the magic numbers alone", () => {
    const settings = { phones: {}, random: { seed: 1, rates: rates(1) } };
    for (let nth = 1; nth <= 20; nth += 1) {
      expect(behaviourFor("254700000001", nth, settings)).toEqual(magicBehaviour("254700000001"));
    }
  });

  it("leave alone a phone that is told to behave like a magic number", () => {
    const settings = {
      phones: { "254712345678": "254700100300" },
      random: { seed: 1, rates: rates(1) },
    };
    expect(behaviourFor("254712345678", 1, settings)).toEqual(magicBehaviour("254700100300"));
  });
});
