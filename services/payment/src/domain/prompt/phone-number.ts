/** Characters that people type between digits, and invisible ones that are copied with a number. */
const separators = /[\s\-./()\p{Pd}\p{Cf}]/gu;
const mobile = /^(?:\+?254|00254)?0?([17]\d{8})$/;

/** Reads a Kenyan mobile number in any notation, as 254 and nine digits; null if it is none. */
export function parsePhone(typed: string): string | null {
  const digits = mobile.exec(typed.replaceAll(separators, ""))?.[1];
  return digits === undefined ? null : `254${digits}`;
}
