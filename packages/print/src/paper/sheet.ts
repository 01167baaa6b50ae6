import { buffer } from "node:stream/consumers";
import Pdf from "pdfkit";
import { type Face, faces, type Weight } from "./fonts.ts";
import { linesOf } from "./lines.ts";
import { runsOf } from "./runs.ts";
import { rememberShapes } from "./shape-cache.ts";

/** A4 in points. */
export const paper = { width: 595.28, height: 841.89, margin: 48, bottom: 60 } as const;
export const innerWidth = paper.width - 2 * paper.margin;

export const colors = { ink: "#14201c", muted: "#5a6a64", line: "#dfe7e3", accent: "#0a7355" };

export interface Type {
  readonly size: number;
  readonly weight?: Weight;
  readonly color?: string;
  /** Figures that stand in columns. */
  readonly figures?: "tabular";
}

export interface Place {
  readonly x: number;
  readonly width: number;
  readonly align?: "left" | "right";
}

export interface About {
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
  onPage: () => void;
  /** Begins a new page unless so much still fits on this one. */
  need(height: number): void;
  widthOf(text: string, type: Type): number;
  wrap(text: string, width: number, type: Type): string[];
  /** Lines from a height on, one under the other; answers how much height they took. */
  put(lines: readonly string[], y: number, place: Place, type: Type): number;
  /** A text of any length from the pen on, over as many pages as it takes. */
  flow(text: string, place: Place, type: Type): void;
  rule(color: string): void;
  finish(): Promise<Buffer>;
}

const leading = 1.42;
const ascent = 1.04;

export function lineHeight({ size }: Type): number {
  return size * leading;
}

export function openSheet({ title, author, language, at }: About): Sheet {
  const document = new Pdf({
    size: [paper.width, paper.height],
    margin: 0,
    bufferPages: true,
    lang: language,
    displayTitle: true,
    info: { Title: title, Author: author, CreationDate: at, ModDate: at },
  });
  const bytes = buffer(document);
  const { select, widthOf } = openType(document);

  function writeLine(line: string, baseline: number, { x, width, align }: Place, type: Type) {
    let at = align === "right" ? x + width - widthOf(line, type) : x;
    const features = featuresOf(type);
    for (const run of runsOf(line, faces[type.weight ?? "regular"])) {
      select(run.face, type).fillColor(type.color ?? colors.ink);
      document.text(run.text, at, baseline, { lineBreak: false, baseline: "alphabetic", features });
      at += document.widthOfString(run.text, { features });
    }
  }

  const sheet: Sheet = {
    document,
    y: paper.margin,
    onPage: () => undefined,
    need(height) {
      if (sheet.y + height <= paper.height - paper.bottom) return;
      document.addPage();
      sheet.y = paper.margin;
      sheet.onPage();
    },
    widthOf,
    wrap: (text, width, type) => linesOf(text, width, (each) => widthOf(each, type)),
    put(lines, y, place, type) {
      for (const [index, line] of lines.entries()) {
        writeLine(line, y + index * lineHeight(type) + type.size * ascent, place, type);
      }
      return lines.length * lineHeight(type);
    },
    flow(text, place, type) {
      for (const line of sheet.wrap(text, place.width, type)) {
        sheet.need(lineHeight(type));
        sheet.y += sheet.put([line], sheet.y, place, type);
      }
    },
    rule(color) {
      document.moveTo(paper.margin, sheet.y).lineTo(paper.width - paper.margin, sheet.y);
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

  function select(face: Face, { size }: Type): PDFKit.PDFDocument {
    document.font(face.name).fontSize(size);
    if (!known.has(face)) rememberShapes(document);
    known.add(face);
    return document;
  }

  function widthOf(line: string, type: Type): number {
    let width = 0;
    for (const { text, face } of runsOf(line, faces[type.weight ?? "regular"])) {
      width += select(face, type).widthOfString(text, { features: featuresOf(type) });
    }
    return width;
  }
  return { select, widthOf };
}

/** Figures that stand in columns have one width. */
function featuresOf({ figures }: Type): PDFKit.Mixins.OpenTypeFeatures[] {
  return figures === "tabular" ? ["kern", "tnum"] : ["kern"];
}
