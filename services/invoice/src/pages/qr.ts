import { create } from "qrcode";

/** The dark squares of a QR code, row by row. */
export function qrSquares(text: string): readonly (readonly boolean[])[] {
  const { size, data } = create(text, { errorCorrectionLevel: "M" }).modules;
  return Array.from({ length: size }, (_, y) =>
    Array.from(data.subarray(y * size, (y + 1) * size), Boolean),
  );
}
