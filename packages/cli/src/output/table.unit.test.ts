import { expect, it } from "vitest";
import { buildDetails, buildTable } from "./table.ts";

const columns = [
  { heading: "ID", cell: (row: { id: number; name: string | null }) => row.id },
  { heading: "NAME", cell: (row: { id: number; name: string | null }) => row.name },
];

it("a table has columns as wide as their longest cell", () => {
  const rows = [
    { id: 1, name: "Duka" },
    { id: 100, name: null },
  ];
  expect(buildTable(columns, rows)).toEqual(["ID   NAME", "1    Duka", "100  -"]);
});

it("a table shortens long cells and replaces control characters", () => {
  const [, long, hostile] = buildTable(columns, [
    { id: 1, name: "x".repeat(500) },
    { id: 2, name: "a\u001B[2Jb\nc\u202Ed\u009B" },
  ]);
  expect(long).toBe(`1   ${"x".repeat(79)}…`);
  expect(hostile).toBe("2   a [2Jb c d");
});

it("the details of a record are unshortened names and values", () => {
  const secret = "s".repeat(200);
  expect(
    buildDetails({ _id: "1", limits: null, settings: { duedays: 7, partpayment: true }, secret }),
  ).toEqual([
    "_id                   1",
    "limits                -",
    "settings.duedays      7",
    "settings.partpayment  true",
    `secret                ${secret}`,
  ]);
});
