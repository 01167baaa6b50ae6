import { colors, lineHeight, pageSize, type Sheet, type TextStyle } from "./sheet.ts";

export interface Column {
  readonly name: string;
  readonly width: number;
  readonly align?: "left" | "right";
}

const cell: TextStyle = { size: 9.5, figures: "tabular" };
const heading: TextStyle = { size: 8.5, color: colors.muted };
const gap = 12;
const padding = 5;
const widthMax = 140;

/** Draws rows that are never split over pages, under a heading that every page repeats. */
export function drawTable(
  sheet: Sheet,
  layout: readonly Column[],
  rows: readonly (readonly string[])[],
): void {
  const columns = fitColumns(sheet, layout, rows);
  const before = sheet.onNewPage;
  const drawHeading = () => {
    drawRow(
      sheet,
      columns,
      columns.map(({ name }) => [name]),
      heading,
    );
    sheet.y += 4;
    sheet.drawRule(colors.ink);
  };
  sheet.ensureSpace(80);
  drawHeading();
  sheet.onNewPage = () => {
    before();
    drawHeading();
  };
  for (const row of rows) {
    const cells = columns.map(({ width }, index) =>
      sheet.wrap(row[index] ?? "", width - gap, cell),
    );
    sheet.ensureSpace(heightOf(cells, cell) + 2 * padding);
    sheet.y += padding;
    drawRow(sheet, columns, cells, cell);
    sheet.y += padding;
    sheet.drawRule(colors.line);
  }
  sheet.onNewPage = before;
}

/** Widens right-aligned columns to their widest cell, and takes that width from the first column. */
function fitColumns(
  sheet: Sheet,
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
): Column[] {
  const widths = columns.map(({ width, align }, index) => {
    if (align !== "right") return width;
    const widest = rows.map((row) => sheet.measure(row[index] ?? "", cell));
    return Math.min(widthMax, Math.max(width, gap + Math.max(0, ...widest)));
  });
  const grown = widths.reduce((sum, width, index) => sum + width - (columns[index]?.width ?? 0), 0);
  return columns.map((column, index) => ({
    ...column,
    width: (widths[index] ?? column.width) - (index === 0 ? grown : 0),
  }));
}

function drawRow(
  sheet: Sheet,
  columns: readonly Column[],
  cells: readonly (readonly string[])[],
  style: TextStyle,
): void {
  let x: number = pageSize.margin;
  for (const [index, { width, align = "left" }] of columns.entries()) {
    const block = align === "right" ? { x: x + gap, width: width - gap, align } : { x, width };
    sheet.writeLines(cells[index] ?? [], sheet.y, block, style);
    x += width;
  }
  sheet.y += heightOf(cells, style);
}

function heightOf(cells: readonly (readonly string[])[], style: TextStyle): number {
  return Math.max(...cells.map(({ length }) => length)) * lineHeight(style);
}
