/** Identifiers are MongoDB ObjectIds, written as 24 hexadecimal characters. */
export type Id = string & { readonly kind: "id" };

const objectIdPattern = /^[0-9a-f]{24}$/i;

export function parseId(text: string): Id | null {
  return objectIdPattern.test(text) ? (text.toLowerCase() as Id) : null;
}

/** Due records are divided into this many buckets, so that each worker takes its own buckets. */
export const bucketCount = 64;

/** Uses the last byte of an ObjectId: a process counts it up for every new id, so it spreads evenly. */
export function bucketOf(id: Id | string): number {
  return Number.parseInt(id.slice(-2), 16) % bucketCount;
}
