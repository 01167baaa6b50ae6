import { fieldKey } from "../document.ts";

const slots = 4096;
const cachedBytesMax = 32;
const names: string[] = Array.from({ length: slots }, () => "");
const keys: string[] = Array.from({ length: slots }, () => "");

/**
 * Reads a field key. Field names repeat often, so the cache returns the same string for the same
 * bytes without decoding.
 */
export function readFieldKey(buffer: Buffer, start: number, end: number): string {
  const length = end - start;
  if (length > cachedBytesMax) return fieldKey(buffer.toString("utf8", start, end));
  let hash = length;
  for (let index = start; index < end; index += 1) {
    hash = (Math.imul(hash, 31) + (buffer[index] as number)) | 0;
  }
  const slot = (hash ^ (hash >>> 15)) & (slots - 1);
  const cached = names[slot] as string;
  if (cached.length === length && sameBytes(cached, buffer, start)) return keys[slot] as string;
  const name = buffer.toString("utf8", start, end);
  const key = fieldKey(name);
  if (name.length === length && length > 0) {
    names[slot] = name;
    keys[slot] = key;
  }
  return key;
}

/** Only ASCII names are cached, so one character is one byte. */
function sameBytes(name: string, buffer: Buffer, start: number): boolean {
  for (let index = 0; index < name.length; index += 1) {
    if (name.charCodeAt(index) !== buffer[start + index]) return false;
  }
  return true;
}
