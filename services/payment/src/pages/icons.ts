import { type Html, html } from "@malipo/core";

function icon(shapes: Html): Html {
  return html`<svg viewBox="0 0 48 48" aria-hidden="true">
    <circle class="disc" cx="24" cy="24" r="23" />
    ${shapes}
  </svg>`;
}

export const icons = {
  waiting: icon(html`<path class="turning" d="M24 11a13 13 0 1 1-11.3 6.5" />`),
  phone: icon(
    html`<rect x="16" y="10" width="16" height="28" rx="3.5" /> <path d="M22.5 33.5h3" />`,
  ),
  done: icon(html`<path d="m15 25 6.5 6.5L34 18" />`),
  not: icon(html`<path d="m17 17 14 14m0-14L17 31" />`),
  closed: icon(html`<path d="M15 24h18" />`),
} as const;
