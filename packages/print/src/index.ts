export { pdfShares } from "./pdf/pdf-shares.ts";
export { startPdfRenderer, type PdfRenderer } from "./pdf/pdf-renderer.ts";
export { sanitizeUserText, renderUserText } from "./user-text.ts";
export { qrDataUri, qrModules, qrPng, qrSvg } from "./qr-code.ts";
export { hashContent } from "./content-hash.ts";
