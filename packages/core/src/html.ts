/** Text that is HTML already. Only `html` makes it, so everything else is escaped on its way in. */
class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export type { Html };
export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

export function html(literals: TemplateStringsArray, ...pieces: readonly HtmlValue[]): Html {
  return new Html(String.raw({ raw: literals }, ...pieces.map(textOf)));
}

function textOf(piece: HtmlValue): string {
  if (piece === undefined) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(textOf).join("");
  return String(piece).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** For a page's own script, which is no text to escape. */
export function moduleElement(script: string): Html {
  return new Html(`<script type="module">${script}</script>`);
}

/** For a page's own style sheet, which is no text to escape. */
export function styleElement(css: string): Html {
  return new Html(`<style>${css}</style>`);
}
