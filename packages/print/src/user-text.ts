import { type Html, html } from "@malipo/core";

const inARow = 3;
const stackedMarks = new RegExp(`(\\p{M}{${inARow}})\\p{M}+`, "gu");

/**
 * A customer's text without what nobody sees but what changes what others see: control characters,
 * overrides of direction, invisible characters, towers of accents. Lines end in one way.
 */
export function sanitizeUserText(text: string): string {
  const shown = text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, "\n")
    .replaceAll("\t", " ")
    .replaceAll(/[^\P{C}\n]/gu, "")
    .normalize("NFC")
    .replaceAll(stackedMarks, "$1")
    .replaceAll(/\n{3,}/g, "\n\n")
    .trim();
  return shown === "" ? "–" : shown;
}

/** What others wrote, in a direction of its own that nothing around it takes on. */
export function renderUserText(text: string): Html {
  return html`<bdi>${sanitizeUserText(text)}</bdi>`;
}
