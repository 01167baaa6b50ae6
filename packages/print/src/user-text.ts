import { type Html, html } from "@malipo/core";

const marksInARowMax = 3;
const excessMarks = new RegExp(`(\\p{M}{${marksInARowMax}})\\p{M}+`, "gu");

/**
 * Removes characters that are invisible but change how other text looks: control characters,
 * overrides of the text direction, zero-width characters, more than three accents on one letter.
 * All line ends become "\n". An empty text becomes a dash.
 */
export function sanitizeUserText(text: string): string {
  const clean = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/[^\P{C}\n]/gu, "")
    .normalize("NFC")
    .replaceAll(excessMarks, "$1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return clean === "" ? "–" : clean;
}

/** Isolates the text direction, so that a right-to-left name does not reorder the text around it. */
export function renderUserText(text: string): Html {
  return html`<bdi>${sanitizeUserText(text)}</bdi>`;
}
