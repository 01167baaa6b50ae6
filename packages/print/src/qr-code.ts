import QRCode from "qrcode";

/**
 * For codes on posters and stickers: a quarter of the code may be lost to folds and dirt. The
 * margin of four modules is the least that scanners need.
 */
const printed = { errorCorrectionLevel: "Q", margin: 4 } as const;

export async function qrPng(text: string): Promise<Uint8Array> {
  return QRCode.toBuffer(text, { ...printed, type: "png", scale: 10 });
}

export async function qrSvg(text: string): Promise<string> {
  return QRCode.toString(text, { ...printed, type: "svg" });
}

/** A small PNG inside a `data:` URI, for an API response. */
export async function qrDataUri(text: string): Promise<string> {
  return QRCode.toDataURL(text, { errorCorrectionLevel: "M", margin: 4, scale: 4 });
}

/** The modules (squares) of a QR code, row by row; true is dark. The caller draws them. */
export function qrModules(text: string): readonly (readonly boolean[])[] {
  const { size, data } = QRCode.create(text, { errorCorrectionLevel: "M" }).modules;
  return Array.from({ length: size }, (_, y) =>
    Array.from(data.subarray(y * size, (y + 1) * size), Boolean),
  );
}
