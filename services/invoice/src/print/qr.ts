import { encode } from "uqr";

/** The dark squares of a QR code, row by row. */
export function qrSquares(text: string): readonly (readonly boolean[])[] {
  return encode(text, { ecc: "M", border: 0 }).data;
}
