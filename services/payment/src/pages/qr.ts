import QRCode from "qrcode";

/** Level Q: the code stays readable when a quarter of it is damaged. Readers need the margin. */
const options = { errorCorrectionLevel: "Q", margin: 4 } as const;

export async function qrPng(text: string): Promise<Uint8Array> {
  return QRCode.toBuffer(text, { ...options, type: "png", scale: 10 });
}

export async function qrSvg(text: string): Promise<string> {
  return QRCode.toString(text, { ...options, type: "svg" });
}
