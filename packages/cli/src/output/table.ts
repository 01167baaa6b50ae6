type CellValue = string | number | boolean | null;

/** One column: its heading, and the cell that it makes of a record. */
export interface Column<Row> {
  readonly heading: string;
  readonly cell: (row: Row) => CellValue;
}

const columnGap = "  ";
const cellCharactersMax = 80;

/** Builds the lines of a table. A column is as wide as its longest cell. */
export function buildTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string[] {
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ cell }) => shorten(formatCell(cell(row))))),
  ];
  return alignColumns(lines);
}

/** A cell with the width of its column, which must be fixed because later rows are not known. */
export type StreamCell = readonly [value: CellValue, width: number];

export function buildStreamLine(cells: readonly StreamCell[]): string {
  return cells
    .map(([value, width]) => {
      const text = shorten(formatCell(value));
      return text + " ".repeat(Math.max(0, width - countCharacters(text)));
    })
    .join(columnGap)
    .trimEnd();
}

/** Builds `name  value` lines. A nested field is named like `settings.duedays`. */
export function buildDetails(record: object): string[] {
  return alignColumns(flattenEntries(record, ""));
}

function flattenEntries(record: object, prefix: string): [string, string][] {
  return Object.entries(record).flatMap(([name, value]: [string, object | CellValue]) =>
    typeof value === "object" && value !== null
      ? flattenEntries(value, `${prefix}${name}.`)
      : [[prefix + name, formatCell(value)] satisfies [string, string]],
  );
}

export function alignColumns(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const line of lines) {
    for (const [column, cell] of line.entries()) {
      widths[column] = Math.max(widths[column] ?? 0, countCharacters(cell));
    }
  }
  return lines.map((line) =>
    line
      .map((cell, column) => cell + " ".repeat((widths[column] ?? 0) - countCharacters(cell)))
      .join(columnGap)
      .trimEnd(),
  );
}

/** Replaces control characters, so that no record can control the terminal. */
function formatCell(value: CellValue): string {
  if (value === null || value === "") return "-";
  return String(value).replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, " ");
}

function shorten(text: string): string {
  const letters = Array.from(text);
  return letters.length <= cellCharactersMax
    ? text
    : `${letters.slice(0, cellCharactersMax - 1).join("")}…`;
}

function countCharacters(text: string): number {
  return Array.from(text).length;
}
