export function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The plural of a resource's name, as a heading. */
export function headingOf(resource: string): string {
  const words = capitalised(resource.replaceAll("-", " "));
  if (words.endsWith("s")) return words;
  return words.endsWith("x") ? `${words}es` : `${words}s`;
}
