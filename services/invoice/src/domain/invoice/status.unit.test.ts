import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { transitions } from "./status.ts";

const readme = readFileSync(new URL("../../../README.md", import.meta.url), "utf8");

/** The cells of a table row, without backticks. */
function readRow(line: string): string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.replaceAll("`", "").trim());
}

it("the transition table and the table in the README are equal", () => {
  const section = readme.split("## States of an invoice")[1]?.split("\n##")[0] ?? "";
  const lines = section.split("\n").filter((line) => line.startsWith("|"));
  const [, ...triggers] = readRow(lines[0] ?? "");
  const documented = lines.slice(2).map((line) => {
    const [from = "", ...cells] = readRow(line);
    const row = triggers.map((trigger, index) => [trigger, cells[index] ?? ""] as const);
    // These words document a trigger that does not apply, or that changes nothing.
    const moves = row.filter(([, to]) => to !== "" && to !== "refused");
    return [
      from,
      Object.fromEntries(moves.map(([trigger, to]) => [trigger, to === "stays" ? from : to])),
    ];
  });
  expect(Object.fromEntries(documented)).toEqual(transitions);
});
