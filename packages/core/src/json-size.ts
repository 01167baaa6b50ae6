/** The longest beginning of a text that takes at most so many bytes as JSON, without its quotes. */
export function cutToJsonBytes(text: string, bytesMax: number): string {
  if (text.length * bytesAtMost <= bytesMax) return text;
  let bytes = 0;
  let length = 0;
  for (const character of text) {
    bytes += jsonBytesOf(Number(character.codePointAt(0)));
    if (bytes > bytesMax) return text.slice(0, length);
    length += character.length;
  }
  return text;
}

/** JSON writes a control character as "\u0001". */
const bytesAtMost = 6;
const shortEscapes = new Set(
  ['"', "\\", "\b", "\f", "\n", "\r", "\t"].map((each) => each.charCodeAt(0)),
);

function jsonBytesOf(code: number): number {
  if (shortEscapes.has(code)) return 2;
  const isLoneSurrogate = code >= 0xd8_00 && code <= 0xdf_ff;
  if (code < 0x20 || isLoneSurrogate) return bytesAtMost;
  if (code < 0x80) return 1;
  if (code < 0x8_00) return 2;
  return code < 0x1_00_00 ? 3 : 4;
}
