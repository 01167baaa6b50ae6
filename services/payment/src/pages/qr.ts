import QRCode from "qrcode";

/** A quarter of it may be lost, to folds and thumbs; with the margin that readers need. */
const looks = { errorCorrectionLevel: "Q", margin: 4 } as const;

export async function qrPng(text: string): Promise<Uint8Array> {
  return QRCode.toBuffer(text, { ...looks, type: "png", scale: 10 });
}

export async function qrSvg(text: string): Promise<string> {
  return QRCode.toString(text, { ...looks, type: "svg" });
}
