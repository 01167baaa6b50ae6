export function capitalise(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The plural of a resource's name, as a heading. */
export function headingOf(resource: string): string {
  const heading = capitalise(resource.replaceAll("-", " "));
  if (heading.endsWith("s")) return heading;
  return heading.endsWith("x") ? `${heading}es` : `${heading}s`;
}
