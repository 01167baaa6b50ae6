const wordsMax = 40;
const characterMax = 40;
const queryWordsMax = 8;
/** Shorter prefixes of a number match too many records to be worth an index entry. */
const prefixMin = 3;

/** Letters and digits; a hyphen joins only when a digit follows, as in INV-000123 or 2026-11-21. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:-(?=\p{N})[\p{L}\p{M}\p{N}]+)*/gu;

/** The parts of a record that a search can find. */
export interface Searchable {
  /** Numbers that people know, found by a prefix: INV-000123, 254712345678. */
  readonly numbers?: readonly (string | null)[];
  /** Texts, found by whole words. If there are too many words, the first ones are kept. */
  readonly texts: readonly (string | null)[];
}

/** Returns the words to store and index with a record, at most 40. */
export function extractSearchWords({ numbers = [], texts }: Searchable): string[] {
  const kept = new Set<string>();
  const keepUpToMax = (words: Iterable<string>) => {
    for (const word of words) {
      if (kept.size === wordsMax) return;
      kept.add(word);
    }
  };
  for (const word of numbers.flatMap(splitWords)) keepUpToMax(prefixesOf(word));
  for (const text of texts) keepUpToMax(splitWords(text));
  return [...kept];
}

/** Returns the words that a matching record must all have. */
export function extractQueryWords(text: string): string[] {
  return [...new Set(splitWords(text))].slice(0, queryWordsMax);
}

function splitWords(text: string | null): string[] {
  if (text === null) return [];
  const found = normalize(text).match(wordPattern);
  return found?.map((word) => withoutLeadingZeros(truncate(word))) ?? [];
}

/**
 * Normalizes twice, because lower-casing may decompose a composed character. Greek sigma has a
 * second form at the end of a word.
 */
function normalize(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
}

function truncate(word: string): string {
  // A word never has more code points than UTF-16 units.
  if (word.length <= characterMax) return word;
  return Array.from(word).slice(0, characterMax).join("");
}

/** A number matches with and without leading zeros: 000123 and 123. */
function withoutLeadingZeros(word: string): string {
  return word.replace(/^0+(?=\d+$)/, "");
}

/** Returns the number itself, then its digits at the end alone (INV-000123 → 123), then its prefixes. */
function prefixesOf(word: string): string[] {
  const [lastDigits] = /\d+$/.exec(word) ?? [];
  const characters = Array.from(word);
  const prefixes: string[] = [];
  for (let length = characters.length - 1; length >= prefixMin; length -= 1) {
    if (characters[length - 1] !== "-") prefixes.push(characters.slice(0, length).join(""));
  }
  return [word, ...(lastDigits ? [withoutLeadingZeros(lastDigits)] : []), ...prefixes];
}
