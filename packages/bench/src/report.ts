import type { Measurement } from "./rounds.ts";
import type { Summary } from "./statistics.ts";

export type Table = {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
};

/** One limit that the project promises to keep, and the measured value. */
export type Bar = {
  readonly name: string;
  readonly wanted: string;
  readonly measured: string;
  readonly met: boolean;
};

export type Outcome = {
  readonly measurements: readonly Measurement[];
  readonly tables: readonly Table[];
  readonly bars: readonly Bar[];
};

type Limit = { readonly name: string; readonly limit: number; readonly unit?: string };

export function atLeast({ name, limit, unit }: Limit, value: number): Bar {
  return bar(name, `≥ ${amount(limit, unit)}`, amount(value, unit), value >= limit);
}

export function atMost({ name, limit, unit }: Limit, value: number): Bar {
  return bar(name, `≤ ${amount(limit, unit)}`, amount(value, unit), value <= limit);
}

function bar(name: string, wanted: string, measured: string, met: boolean): Bar {
  return { name, wanted, measured, met };
}

function amount(value: number, unit?: string): string {
  return unit === undefined ? share(value) : `${number(value)} ${unit}`;
}

/** One decimal below 100, none above, and thousands separated. */
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
    columns: ["", "limit", "measured", ""],
    rows: outcome.bars.map(({ name, wanted, measured, met }) => [
      name,
      wanted,
      measured,
      met ? "met" : "NOT MET",
    ]),
  };
  return [...tables, ...(bars.rows.length === 0 ? [] : [renderTable(bars)])].join("\n\n");
}

const otherLoadMax = 0.05;

export function otherLoadText(others: number): string {
  const warning = others > otherLoadMax ? ": measure again on a quiet machine" : "";
  return `Other processes used ${(others * 100).toFixed(0)} % of the machine during the run${warning}.`;
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
