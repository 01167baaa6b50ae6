/** Safe HTML. Only the functions of this file create it; `html` escapes every other value. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

export function html(literals: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: literals }, ...values.map(toHtmlText)));
}

function toHtmlText(value: HtmlValue): string {
  if (value === undefined) return "";
  if (value instanceof Html) return value.text;
  if (typeof value === "object") return value.map(toHtmlText).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Embeds a script of our own without escaping it. */
export function moduleElement(script: string): Html {
  return new Html(`<script type="module">${script}</script>`);
}

/** Embeds a style sheet of our own without escaping it. */
export function styleElement(css: string): Html {
  return new Html(`<style>${css}</style>`);
}
