/** The text of each page without white space, because spaces depend on the layout. */
export async function pdfPages(pdf: Uint8Array): Promise<string[]> {
  // The library is large and few tests read PDFs, so it is loaded on first use.
  const { getDocument } = await import("pdfjs-dist/legacy/build/pdf.mjs");
  const loading = getDocument({ data: Uint8Array.from(pdf), verbosity: 0 });
  const document = await loading.promise;
  const pages: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    pages.push(withoutSpaces(items.map((item) => ("str" in item ? item.str : "")).join("")));
  }
  await loading.destroy();
  return pages;
}

export function withoutSpaces(text: string): string {
  return text.replaceAll(/\s/g, "");
}
