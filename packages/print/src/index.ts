export type { PdfBounds } from "./pdf/pdf-workers.ts";
export { openPdfs, type Pdfs } from "./pdf/pdf-renderer.ts";
export { printable, theirs } from "./user-text.ts";
export { qrDataUri, qrModules, qrPng, qrSvg } from "./qr-code.ts";
export { versionOf } from "./content-hash.ts";
