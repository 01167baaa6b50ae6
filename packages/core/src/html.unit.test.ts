import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { html, moduleElement, styleElement } from "./html.ts";

describe("html", () => {
  it("escapes every value that is not HTML, also inside arrays", () => {
    const inner = html`<b>${"<i>"}</b>`;
    expect(html`<p title="${'"'}">${inner} ${[1, " & ", undefined, inner]}</p>`.text).toBe(
      '<p title="&#34;"><b>&#60;i&#62;</b> 1 &#38; <b>&#60;i&#62;</b></p>',
    );
  });

  it("escapes any text so that it cannot end its element or attribute", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(html`<p>${text}</p>`.text.slice(3, -4)).not.toMatch(/[<>"']/);
      }),
    );
  });

  it("does not escape scripts and style sheets", () => {
    expect(moduleElement('a = "<b>"').text).toBe('<script type="module">a = "<b>"</script>');
    expect(styleElement("a > b {}").text).toBe("<style>a > b {}</style>");
  });
});
