import type { Measurement } from "./rounds.ts";
import type { Summary } from "./statistics.ts";

export type Table = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** One promise of the project about speed, and what was found. */
export type Bar = {
  readonly asks: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
};

export type Outcome = {
  readonly measurements: readonly Measurement[];
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
};

type Limit = { readonly asks: string; readonly limit: number; readonly unit?: string };

export function atLeast({ asks, limit, unit }: Limit, value: number): Bar {
  return bar(asks, `≥ ${amount(limit, unit)}`, amount(value, unit), value >= limit);
}

export function atMost({ asks, limit, unit }: Limit, value: number): Bar {
  return bar(asks, `≤ ${amount(limit, unit)}`, amount(value, unit), value <= limit);
}

function bar(asks: string, wanted: string, measured: string, met: boolean): Bar {
  return { asks, wanted, measured, met };
}

function amount(value: number, unit?: string): string {
  return unit === undefined ? share(value) : `${number(value)} ${unit}`;
}

/** A number a person can read at a glance: three digits that matter, thousands apart. */
export function number(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : 1;
  return value.toLocaleString("en", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
}

export const share = (value: number): string => value.toFixed(2);

export const mebibytes = (bytes: number): string => number(bytes / 1024 ** 2);

/** A median with its spread. */
export function withSpread(summary: Summary, format: (value: number) => string = number): string {
  return `${format(summary.median)} (${(summary.spread * 100).toFixed(0)} %)`;
}

export function renderOutcome(outcome: Outcome): string {
  const tables = outcome.tables.map(renderTable);
  const bars: Table = {
    title: "Bars",
    columns: ["", "asked", "measured", ""],
    rows: outcome.bars.map(({ asks, wanted, measured, met }) => [
      asks,
      wanted,
      measured,
      met ? "met" : "NOT MET",
    ]),
  };
  return [...tables, ...(bars.rows.length === 0 ? [] : [renderTable(bars)])].join("\n\n");
}

const otherLoadWorthAWord = 0.05;

export function otherLoadText(others: number): string {
  const warning = others > otherLoadWorthAWord ? ": measure again when it is quiet" : "";
  return `Other processes used ${(others * 100).toFixed(0)} % of the machine meanwhile${warning}.`;
}

export function renderTable({ title, columns, rows }: Table): string {
  const widths = columns.map((column, index) =>
    Math.max(column.length, ...rows.map((row) => (row[index] ?? "").length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => {
        const width = widths[index] ?? 0;
        return index === 0 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd();
  return [title, line(columns), ...rows.map(line)].join("\n");
}
