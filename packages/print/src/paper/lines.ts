const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Breaks a text into lines of at most `widthMax`: at spaces, and inside a word that is wider than a line. */
export function breakLines(
  text: string,
  widthMax: number,
  widthOf: (text: string) => number,
): string[] {
  const space = widthOf(" ");
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line = "";
    let width = 0;
    for (const word of paragraph.split(" ").flatMap((each) => breakWord(each, widthMax, widthOf))) {
      const wordWidth = widthOf(word);
      if (line !== "" && width + space + wordWidth > widthMax) {
        lines.push(line);
        line = "";
      }
      width = line === "" ? wordWidth : width + space + wordWidth;
      line = line === "" ? word : `${line} ${word}`;
    }
    return [...lines, line];
  });
}

function breakWord(word: string, widthMax: number, widthOf: (text: string) => number): string[] {
  if (widthOf(word) <= widthMax) return [word];
  const parts: string[] = [];
  let part = "";
  for (const { segment } of graphemes.segment(word)) {
    if (part !== "" && widthOf(part + segment) > widthMax) {
      parts.push(part);
      part = "";
    }
    part += segment;
  }
  return [...parts, part];
}
