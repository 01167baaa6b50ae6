/** What people put between digits, and what comes along unseen when a number is copied. */
const separators = /[\s\-./()\p{Pd}\p{Cf}]/gu;
const mobile = /^(?:\+?254|00254)?0?([17]\d{8})$/;

/** A Kenyan mobile number however it is typed, as 254 and nine digits; null if it is none. */
export function parsePhone(typed: string): string | null {
  const digits = mobile.exec(typed.replaceAll(separators, ""))?.[1];
  return digits === undefined ? null : `254${digits}`;
}
