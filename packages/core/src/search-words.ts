const wordsMax = 40;
const characterMax = 40;
const queryWordsMax = 8;
/** Shorter beginnings of a number fit too many records to be worth their place in an index. */
const prefixMin = 3;

/** Letters and digits; a hyphen joins only when a digit follows, as in INV-000123 or 2026-11-21. */
const wordPattern = /[\p{L}\p{M}\p{N}]+(?:-(?=\p{N})[\p{L}\p{M}\p{N}]+)*/gu;

/** What a record can be found by. */
export interface Searchable {
  /** Numbers that people know it by, found by how they begin: INV-000123, 254712345678. */
  readonly numbers?: readonly (string | null)[];
  /** Found by whole words; the first ones count where there are many. */
  readonly texts: readonly (string | null)[];
}

/** The bounded set of words that is kept, and indexed, with a record. */
export function extractSearchWords({ numbers = [], texts }: Searchable): string[] {
  const kept = new Set<string>();
  const keep = (words: Iterable<string>) => {
    for (const word of words) {
      if (kept.size === wordsMax) return;
      kept.add(word);
    }
  };
  for (const word of numbers.flatMap(wordsIn)) keep(beginningsOf(word));
  for (const text of texts) keep(wordsIn(text));
  return [...kept];
}

/** The words that a record must have all of. */
export function extractQueryWords(text: string): string[] {
  return [...new Set(wordsIn(text))].slice(0, queryWordsMax);
}

function wordsIn(text: string | null): string[] {
  if (text === null) return [];
  const found = evenedOut(text).match(wordPattern);
  return found?.map((word) => withoutZeros(cut(word))) ?? [];
}

/** Lower case may decompose what was composed; and a sigma looks otherwise at the end of a word. */
function evenedOut(text: string): string {
  if (/^\p{ASCII}*$/u.test(text)) return text.toLowerCase();
  return text.normalize("NFKC").toLowerCase().normalize("NFKC").replaceAll("ς", "σ");
}

function cut(word: string): string {
  // No word has more characters than it has units.
  if (word.length <= characterMax) return word;
  return Array.from(word).slice(0, characterMax).join("");
}

/** A bare number is the same with and without zeros before it. */
function withoutZeros(word: string): string {
  return word.replace(/^0+(?=\d+$)/, "");
}

/** The number itself first, then its running part alone, then its beginnings. */
function beginningsOf(word: string): string[] {
  const [running] = /\d+$/.exec(word) ?? [];
  const characters = Array.from(word);
  const beginnings: string[] = [];
  for (let length = characters.length - 1; length >= prefixMin; length -= 1) {
    if (characters[length - 1] !== "-") beginnings.push(characters.slice(0, length).join(""));
  }
  return [word, ...(running ? [withoutZeros(running)] : []), ...beginnings];
}
