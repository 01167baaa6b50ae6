/** Earlier than any date in a record, also a mistyped one. */
const anyDate = { $gt: new Date("-000001-01-01T00:00:00Z") } as const;

/** Records with a due date, by bucket: each worker reads the buckets of its share. */
export const dueIndex = dueIndexOf("dueat", "due");

export function dueIndexOf(field: string, name: string) {
  return {
    key: { bucket: 1, [field]: 1 },
    name,
    partialFilterExpression: { [field]: anyDate },
  } as const;
}

/** The records due in these buckets. A query uses a partial index only if it repeats its condition. */
export function dueFilter(buckets: readonly number[], now: Date, field = "dueat") {
  return { bucket: { $in: buckets }, [field]: { ...anyDate, $lte: now } };
}
