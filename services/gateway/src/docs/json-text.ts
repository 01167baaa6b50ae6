import { type Html, html, type HtmlValue } from "@malipo/core";

// A constant, because the code formatter may change white space inside templates.
const newLine = "\n";

/** Indented JSON, with a class on each part for its colour. */
export function jsonText(value: unknown, indent = ""): Html {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return html`[]`;
    const entries = value.map((entry) => html`${inner}${jsonText(entry, inner)}`);
    return html`[${newLine}${joinWithCommas(entries)}${newLine}${indent}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    if (fields.length === 0) return html`{}`;
    const lines = fields.map(
      ([name, field]) =>
        html`${inner}<span class="k">${JSON.stringify(name)}</span>: ${jsonText(field, inner)}`,
    );
    return html`{${newLine}${joinWithCommas(lines)}${newLine}${indent}}`;
  }
  const kind = typeof value === "string" ? "s" : "n";
  return html`<span class="${kind}">${JSON.stringify(value)}</span>`;
}

function joinWithCommas(lines: readonly Html[]): HtmlValue {
  return lines.map((line, index) => (index === 0 ? line : html`,${newLine}${line}`));
}
