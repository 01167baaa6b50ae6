import { expect, it } from "vitest";
import { details, table } from "./table.ts";

const columns = [
  { heading: "ID", cell: (row: { id: number; name: string | null }) => row.id },
  { heading: "NAME", cell: (row: { id: number; name: string | null }) => row.name },
];

it("puts columns under their headings, as wide as the longest cell", () => {
  const rows = [
    { id: 1, name: "Duka" },
    { id: 100, name: null },
  ];
  expect(table(columns, rows)).toEqual(["ID   NAME", "1    Duka", "100  -"]);
});

it("shortens what would break the lines, and lets nothing steer the terminal", () => {
  const [, long, hostile] = table(columns, [
    { id: 1, name: "x".repeat(500) },
    { id: 2, name: "a\u001B[2Jb\nc\u202Ed\u009B" },
  ]);
  expect(long).toBe(`1   ${"x".repeat(79)}…`);
  expect(hostile).toBe("2   a [2Jb c d");
});

it("writes a record as names and values, in whole", () => {
  const secret = "s".repeat(200);
  expect(
    details({ _id: "1", limits: null, settings: { duedays: 7, partpayment: true }, secret }),
  ).toEqual([
    "_id                   1",
    "limits                -",
    "settings.duedays      7",
    "settings.partpayment  true",
    `secret                ${secret}`,
  ]);
});
