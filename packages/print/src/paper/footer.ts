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

/** A line at the foot of every page. How many there are is known when all are written. */
export function writeFooters(
  sheet: Sheet,
  note: string,
  pageWords: (number: number, count: number) => string,
): void {
  const { count } = sheet.document.bufferedPageRange();
  const y = pageSize.height - 40;
  for (let index = 0; index < count; index += 1) {
    sheet.document.switchToPage(index);
    sheet.writeLines([note], y, left, small);
    sheet.writeLines([pageWords(index + 1, count)], y, { ...left, align: "right" }, small);
  }
}
