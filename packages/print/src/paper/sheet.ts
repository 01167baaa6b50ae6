import { buffer } from "node:stream/consumers";
import Pdf from "pdfkit";
import { type Face, faces, type Weight } from "./fonts.ts";
import { breakLines } from "./lines.ts";
import { splitRuns } from "./runs.ts";
import { cacheShapes } from "./shape-cache.ts";

/** A4 in points. */
export const pageSize = { width: 595.28, height: 841.89, margin: 48, bottom: 60 } as const;
export const innerWidth = pageSize.width - 2 * pageSize.margin;

export const colors = { ink: "#14201c", muted: "#5a6a64", line: "#dfe7e3", accent: "#0a7355" };

export interface TextStyle {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  /** Digits of equal width, for numbers in columns. */
  readonly figures?: "tabular";
}

export interface TextBlock {
  readonly x: number;
  readonly width: number;
  readonly align?: "left" | "right";
}

export interface DocumentInfo {
  readonly title: string;
  readonly author: string;
  readonly language: string;
  readonly at: Date;
}

/** The pages of one PDF, written from top to bottom. All lengths are in points. */
export interface Sheet {
  readonly document: PDFKit.PDFDocument;
  /** Where the next content starts. The caller moves it after `writeLines`. */
  y: number;
  /** Called at the start of every page except the first. */
  onNewPage: () => void;
  /** Starts a new page if less than `height` is left on this one. */
  ensureSpace(height: number): void;
  measure(text: string, style: TextStyle): number;
  wrap(text: string, width: number, style: TextStyle): string[];
  /** Writes lines from `y` down, and returns their height. Does not move the sheet's own `y`. */
  writeLines(lines: readonly string[], y: number, block: TextBlock, style: TextStyle): number;
  /** Writes a text of any length from the sheet's `y` down, over several pages if needed, and moves `y`. */
  writeText(text: string, block: TextBlock, style: TextStyle): void;
  drawRule(color: string): void;
  finish(): Promise<Buffer>;
}

const leading = 1.42;
const ascent = 1.04;

export function lineHeight({ size }: TextStyle): number {
  return size * leading;
}

export function openSheet({ title, author, language, at }: DocumentInfo): Sheet {
  const document = new Pdf({
    size: [pageSize.width, pageSize.height],
    margin: 0,
    bufferPages: true,
    lang: language,
    displayTitle: true,
    info: { Title: title, Author: author, CreationDate: at, ModDate: at },
  });
  const bytes = buffer(document);
  const { select, widthOf } = openFonts(document);

  function writeLine(
    line: string,
    baseline: number,
    { x, width, align }: TextBlock,
    style: TextStyle,
  ) {
    let at = align === "right" ? x + width - widthOf(line, style) : x;
    const features = featuresOf(style);
    for (const run of splitRuns(line, faces[style.weight ?? "regular"])) {
      select(run.face, style).fillColor(style.color ?? colors.ink);
      document.text(run.text, at, baseline, { lineBreak: false, baseline: "alphabetic", features });
      at += document.widthOfString(run.text, { features });
    }
  }

  const sheet: Sheet = {
    document,
    y: pageSize.margin,
    onNewPage: () => undefined,
    ensureSpace(height) {
      if (sheet.y + height <= pageSize.height - pageSize.bottom) return;
      document.addPage();
      sheet.y = pageSize.margin;
      sheet.onNewPage();
    },
    measure: widthOf,
    wrap: (text, width, style) => breakLines(text, width, (each) => widthOf(each, style)),
    writeLines(lines, y, block, style) {
      for (const [index, line] of lines.entries()) {
        writeLine(line, y + index * lineHeight(style) + style.size * ascent, block, style);
      }
      return lines.length * lineHeight(style);
    },
    writeText(text, block, style) {
      for (const line of sheet.wrap(text, block.width, style)) {
        sheet.ensureSpace(lineHeight(style));
        sheet.y += sheet.writeLines([line], sheet.y, block, style);
      }
    },
    drawRule(color) {
      document.moveTo(pageSize.margin, sheet.y).lineTo(pageSize.width - pageSize.margin, sheet.y);
      document.lineWidth(0.75).strokeColor(color).stroke();
    },
    finish() {
      document.end();
      return bytes;
    },
  };
  return sheet;
}

/** Registers the fonts of a document. */
function openFonts(document: PDFKit.PDFDocument) {
  for (const { name, bytes } of [...faces.regular, ...faces.bold])
    document.registerFont(name, bytes);
  const prepared = new Set<Face>();

  function select(face: Face, { size }: TextStyle): PDFKit.PDFDocument {
    document.font(face.name).fontSize(size);
    if (!prepared.has(face)) cacheShapes(document);
    prepared.add(face);
    return document;
  }

  function widthOf(line: string, style: TextStyle): number {
    let width = 0;
    for (const { text, face } of splitRuns(line, faces[style.weight ?? "regular"])) {
      width += select(face, style).widthOfString(text, { features: featuresOf(style) });
    }
    return width;
  }
  return { select, widthOf };
}

/** `tnum` gives all digits the same width. */
function featuresOf({ figures }: TextStyle): PDFKit.Mixins.OpenTypeFeatures[] {
  return figures === "tabular" ? ["kern", "tnum"] : ["kern"];
}
