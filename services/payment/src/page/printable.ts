import { type Html, html } from "@malipo/core";

/** What others wrote, in a direction of its own, without what nobody sees but what changes the rest. */
export function theirs(text: string): Html {
  return html`<bdi>${printable(text)}</bdi>`;
}

export function printable(text: string): string {
  const shown = text.replaceAll(/[^\P{C}\n]/gu, "").replaceAll(/(\p{M}{3})\p{M}+/gu, "$1");
  return shown.trim() || "–";
}
