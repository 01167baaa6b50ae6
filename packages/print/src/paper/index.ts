export { type DrawPdf, servePdfRequests } from "./serve-pdf-requests.ts";
export {
  type DocumentInfo,
  colors,
  innerWidth,
  lineHeight,
  openSheet,
  pageSize,
  type TextBlock,
  type Sheet,
  type TextStyle,
} from "./sheet.ts";
export { writeFooters } from "./footer.ts";
export { drawTable } from "./table.ts";
