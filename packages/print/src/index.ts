export type { PdfBounds } from "./pdf-workers.ts";
export { openPdfs, type Pdfs } from "./pdfs.ts";
export { printable, theirs } from "./printable.ts";
export { qrDataUri, qrModules, qrPng, qrSvg } from "./qr-code.ts";
export { versionOf } from "./version.ts";
