export { type AsPdf, servePdfs } from "./serve-pdfs.ts";
export {
  type About,
  colors,
  innerWidth,
  lineHeight,
  openSheet,
  paper,
  type Place,
  type Sheet,
  type Type,
} from "./sheet.ts";
export { signPages } from "./sign-pages.ts";
export { drawTable } from "./table.ts";
