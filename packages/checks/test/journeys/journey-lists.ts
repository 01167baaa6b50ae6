/**
 * The numbered lists of docs/architecture.md by the heading they stand under: of each step, the file
 * that it names. A step that names no file is an error.
 */
export function journeyLists(markdown: string): Map<string, string[]> {
  const lists = new Map<string, string[]>();
  let heading = "";
  for (const line of markdown.split("\n")) {
    heading = /^#+ (.*)$/.exec(line)?.[1] ?? heading;
    if (!/^\d+\. /.test(line)) continue;
    const path = /(?:services|packages)\/[\w./-]+\.ts/.exec(line)?.[0];
    if (path === undefined) throw new Error(`a step of "${heading}" names no file: ${line}`);
    lists.set(heading, [...(lists.get(heading) ?? []), path]);
  }
  return lists;
}
