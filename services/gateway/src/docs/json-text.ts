import { type Html, html, type HtmlValue } from "@malipo/core";

// A value, because the whitespace of a template belongs to the formatter.
const newLine = "\n";

/** JSON as people read it, its parts marked for colour. */
export function jsonText(value: unknown, indent = ""): Html {
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    if (value.length === 0) return html`[]`;
    const entries = value.map((entry) => html`${inner}${jsonText(entry, inner)}`);
    return html`[${newLine}${commas(entries)}${newLine}${indent}]`;
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    if (fields.length === 0) return html`{}`;
    const lines = fields.map(
      ([name, field]) =>
        html`${inner}<span class="k">${JSON.stringify(name)}</span>: ${jsonText(field, inner)}`,
    );
    return html`{${newLine}${commas(lines)}${newLine}${indent}}`;
  }
  const kind = typeof value === "string" ? "s" : "n";
  return html`<span class="${kind}">${JSON.stringify(value)}</span>`;
}

function commas(lines: readonly Html[]): HtmlValue {
  return lines.map((line, index) => (index === 0 ? line : html`,${newLine}${line}`));
}
