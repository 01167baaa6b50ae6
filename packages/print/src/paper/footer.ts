import { colors, innerWidth, paper, type Place, type Sheet, type Type } from "./sheet.ts";

const left: Place = { x: paper.margin, width: innerWidth };
const small: Type = { size: 8.5, color: colors.muted };

/** A line at the foot of every page. How many there are is known when all are written. */
export function signPages(
  sheet: Sheet,
  note: string,
  pageWords: (number: number, count: number) => string,
): void {
  const { count } = sheet.document.bufferedPageRange();
  const y = paper.height - 40;
  for (let index = 0; index < count; index += 1) {
    sheet.document.switchToPage(index);
    sheet.put([note], y, left, small);
    sheet.put([pageWords(index + 1, count)], y, { ...left, align: "right" }, small);
  }
}
