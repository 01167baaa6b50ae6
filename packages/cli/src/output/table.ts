type Shown = string | number | boolean | null;

/** One column: its heading, and what it shows of a record. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => Shown;
}

const gap = "  ";
const cellMax = 80;

/** Columns under their headings, as wide as their longest cell. */
export function table<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => shorten(textOf(cell(row))))),
  ];
  return aligned(lines);
}

/** What a cell shows, and how wide its column is: nobody knows what is still to come. */
export type LiveCell = readonly [text: Shown, width: number];

export function liveLine(cells: readonly LiveCell[]): string {
  return cells
    .map(([shown, width]) => {
      const text = shorten(textOf(shown));
      return text + " ".repeat(Math.max(0, width - lengthOf(text)));
    })
    .join(gap)
    .trimEnd();
}

/** `name  value` lines; what lies within another record is named after both. */
export function details(record: object): string[] {
  return aligned(entriesOf(record, ""));
}

function entriesOf(record: object, prefix: string): [string, string][] {
  return Object.entries(record).flatMap(([name, value]: [string, object | Shown]) =>
    typeof value === "object" && value !== null
      ? entriesOf(value, `${prefix}${name}.`)
      : [[prefix + name, textOf(value)] satisfies [string, string]],
  );
}

export function aligned(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [column, cell] of line.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, lengthOf(cell));
    }
  }
  return lines.map((line) =>
    line
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - lengthOf(cell)))
      .join(gap)
      .trimEnd(),
  );
}

/** Nothing that a record holds may steer the terminal. */
function textOf(value: Shown): string {
  if (value === null || value === "") return "-";
  return String(value).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

function shorten(text: string): string {
  const letters = Array.from(text);
  return letters.length <= cellMax ? text : `${letters.slice(0, cellMax - 1).join("")}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
