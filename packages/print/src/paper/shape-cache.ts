/** The part of pdfkit's embedded font that we use; its types do not declare it. */
interface EmbeddedFont {
  layout: (text: string, features: readonly string[]) => unknown;
  layoutRun(text: string, features: Readonly<Record<string, boolean>>): unknown;
}

/**
 * Makes the document's current font shape each text only once. pdfkit shapes a text each time it
 * measures or writes it, and that is most of its work. A text is shaped as a whole, because
 * right-to-left text would otherwise be in the wrong order. Ligatures and contextual alternates
 * are off, so that `-->` does not become an arrow.
 */
export function cacheShapes(document: PDFKit.PDFDocument): void {
  const { _font: font } = document as unknown as { readonly _font: EmbeddedFont };
  const shapes = new Map<string, unknown>();
  font.layout = (text, features) => {
    const key = `${features.join()} ${text}`;
    const cached = shapes.get(key);
    if (cached !== undefined) return cached;
    const wanted = Object.fromEntries(features.map((feature) => [feature, true]));
    const shape = font.layoutRun(text, { calt: false, liga: false, ...wanted });
    shapes.set(key, shape);
    return shape;
  };
}
