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
  /** Figures that stand in columns. */
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

/** A pen over the pages of one document. `y` is where it stands; whoever writes moves it. */
export interface Sheet {
  readonly document: PDFKit.PDFDocument;
  y: number;
  /** What every page but the first begins with. */
  onNewPage: () => void;
  /** Begins a new page unless so much still fits on this one. */
  ensureSpace(height: number): void;
  measure(text: string, type: TextStyle): number;
  wrap(text: string, width: number, type: TextStyle): string[];
  /** Lines from a height on, one under the other; answers how much height they took. */
  writeLines(lines: readonly string[], y: number, place: TextBlock, type: TextStyle): number;
  /** A text of any length from the pen on, over as many pages as it takes. */
  writeText(text: string, place: TextBlock, type: TextStyle): void;
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
  const { select, widthOf } = openType(document);

  function writeLine(
    line: string,
    baseline: number,
    { x, width, align }: TextBlock,
    type: TextStyle,
  ) {
    let at = align === "right" ? x + width - widthOf(line, type) : x;
    const features = featuresOf(type);
    for (const run of splitRuns(line, faces[type.weight ?? "regular"])) {
      select(run.face, type).fillColor(type.color ?? colors.ink);
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
    wrap: (text, width, type) => breakLines(text, width, (each) => widthOf(each, type)),
    writeLines(lines, y, place, type) {
      for (const [index, line] of lines.entries()) {
        writeLine(line, y + index * lineHeight(type) + type.size * ascent, place, type);
      }
      return lines.length * lineHeight(type);
    },
    writeText(text, place, type) {
      for (const line of sheet.wrap(text, place.width, type)) {
        sheet.ensureSpace(lineHeight(type));
        sheet.y += sheet.writeLines([line], sheet.y, place, type);
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

/** The fonts of a document. */
function openType(document: PDFKit.PDFDocument) {
  for (const { name, bytes } of [...faces.regular, ...faces.bold])
    document.registerFont(name, bytes);
  const known = new Set<Face>();

  function select(face: Face, { size }: TextStyle): PDFKit.PDFDocument {
    document.font(face.name).fontSize(size);
    if (!known.has(face)) cacheShapes(document);
    known.add(face);
    return document;
  }

  function widthOf(line: string, type: TextStyle): number {
    let width = 0;
    for (const { text, face } of splitRuns(line, faces[type.weight ?? "regular"])) {
      width += select(face, type).widthOfString(text, { features: featuresOf(type) });
    }
    return width;
  }
  return { select, widthOf };
}

/** Figures that stand in columns have one width. */
function featuresOf({ figures }: TextStyle): PDFKit.Mixins.OpenTypeFeatures[] {
  return figures === "tabular" ? ["kern", "tnum"] : ["kern"];
}
