export { type AsPdf, servePdfs } from "./serve-pdf-requests.ts";
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
export { signPages } from "./footer.ts";
export { drawTable } from "./table.ts";
