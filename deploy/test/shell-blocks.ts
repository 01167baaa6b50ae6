/** Splits a Markdown text into its shell blocks, without their indentation. */
export function shellBlocks(markdown: string): string[] {
  const blocks = markdown.matchAll(/^( *)```sh\n([\s\S]*?)^ *```$/gm);
  return [...blocks].map(([, indentation = "", block = ""]) =>
    block.replaceAll(new RegExp(`^${indentation}`, "gm"), ""),
  );
}
