const rememberedMax = 64;
const remembered = new Map<number, string>();

/**
 * A moment as `toISOString` has it. What comes of one request says the same few moments again and
 * again, and to write one takes as long as to remember twenty.
 */
export function momentText(moment: Date): string {
  const ms = moment.getTime();
  const known = remembered.get(ms);
  if (known !== undefined) return known;
  const text = moment.toISOString();
  if (remembered.size >= rememberedMax) remembered.clear();
  remembered.set(ms, text);
  return text;
}
