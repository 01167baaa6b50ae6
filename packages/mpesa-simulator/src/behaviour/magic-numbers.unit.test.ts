import { readFileSync } from "node:fs";
import { sandboxNumbers } from "@malipo/contracts";
import { describe, expect, it } from "vitest";
import { findMagicBehaviour } from "./magic-numbers.ts";

const groups: readonly {
  id: string;
  title: string;
  range: string;
  about: string;
  numbers: readonly { number: string; what: string }[];
}[] = sandboxNumbers;

describe.each(groups)("the documented magic numbers of $range", ({ range, numbers }) => {
  it("match the range, are sorted and are listed once", () => {
    const pattern = new RegExp(`^${range.replaceAll("X", String.raw`\d`)}$`);
    const all = numbers.map(({ number }) => number);
    for (const number of all) expect(number).toMatch(pattern);
    expect(all).toEqual([...new Set(all)].toSorted());
  });

  it("all have a magic behaviour", () => {
    for (const { number } of numbers) expect(findMagicBehaviour(number)).toBeDefined();
  });
});

it.each(["254712345678", "254700100700", "254700100199", "254700200000", "25470000000", ""])(
  'phone number "%s" has no magic behaviour',
  (phone) => {
    expect(findMagicBehaviour(phone)).toBeUndefined();
  },
);

/** The trimmed cells of all tables in a Markdown text, without the delimiter rows. */
const readTableRows = (text: string): string[][] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("|") && !/^\|[\s|:-]+\|$/.test(line))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

describe("the simulator's README", () => {
  const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

  it.each(groups)("lists the numbers of group '$title'", ({ title, range, about, numbers }) => {
    const section = readme.split(`\n### ${title}\n`)[1]?.split("\n#")[0] ?? "";
    expect(section.replaceAll(/\s+/g, " ")).toContain(`\`${range}\` ${about}`);
    expect(readTableRows(section)).toEqual([
      ["Number", "What happens"],
      ...numbers.map(({ number, what }) => [`\`${number}\``, what]),
    ]);
  });
});
