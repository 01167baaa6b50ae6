/** Identifiers are MongoDB ObjectIds, written as 24 hexadecimal characters. */
export type Id = string & { readonly kind: "id" };

const objectIdPattern = /^[0-9a-f]{24}$/i;

export function parseId(text: string): Id | null {
  return objectIdPattern.test(text) ? (text.toLowerCase() as Id) : null;
}
