/** What the library keeps of a font that is embedded; its types do not tell of it. */
interface EmbeddedFont {
  layout: (text: string, features: readonly string[]) => unknown;
  layoutRun(text: string, features: Readonly<Record<string, boolean>>): unknown;
}

/**
 * Has the document's present font shape each text once: the library would do it anew whenever it
 * measures or writes, which is most of its work. A text is shaped as a whole, or what reads from the
 * right would stand in the wrong order; and nothing of it is replaced, so that --> is no arrow.
 */
export function cacheShapes(document: PDFKit.PDFDocument): void {
  const { _font: font } = document as unknown as { readonly _font: EmbeddedFont };
  const shapes = new Map<string, unknown>();
  font.layout = (text, features) => {
    const key = `${features.join()} ${text}`;
    const known = shapes.get(key);
    if (known !== undefined) return known;
    const wanted = Object.fromEntries(features.map((feature) => [feature, true]));
    const shape = font.layoutRun(text, { calt: false, liga: false, ...wanted });
    shapes.set(key, shape);
    return shape;
  };
}
