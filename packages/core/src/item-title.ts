const charactersMax = 200;

/** Names an invoice or a subscription by its items: "Unga 2kg", or "Unga 2kg and 3 more". */
export function titleFromItems(names: readonly string[]): string {
  const [first = ""] = names;
  const more = names.length > 1 ? ` and ${names.length - 1} more` : "";
  return firstCharacters(first, charactersMax - more.length).trimEnd() + more;
}

/** Counts code points, so that a character of two UTF-16 units is never cut in half. */
function firstCharacters(text: string, count: number): string {
  // A text never has more code points than UTF-16 units.
  return text.length <= count ? text : Array.from(text).slice(0, count).join("");
}
