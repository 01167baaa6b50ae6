import {
  colors,
  innerWidth,
  pageSize,
  type TextBlock,
  type Sheet,
  type TextStyle,
} from "./sheet.ts";

const left: TextBlock = { x: pageSize.margin, width: innerWidth };
const small: TextStyle = { size: 8.5, color: colors.muted };

/** Writes a footer on every page. Call this last, because it needs the number of pages. */
export function writeFooters(
  sheet: Sheet,
  note: string,
  formatPageNumber: (number: number, count: number) => string,
): void {
  const { count } = sheet.document.bufferedPageRange();
  const y = pageSize.height - 40;
  for (let index = 0; index < count; index += 1) {
    sheet.document.switchToPage(index);
    sheet.writeLines([note], y, left, small);
    sheet.writeLines([formatPageNumber(index + 1, count)], y, { ...left, align: "right" }, small);
  }
}
