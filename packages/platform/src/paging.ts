import type { Paging } from "@malipo/contracts";
import type { Collection, Document, Filter, Sort } from "mongodb";

interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/** One page of a list, and how many there are in all. */
export async function readPage<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
  sort: Sort,
  { page, limit }: PageRequest,
) {
  const [records, total] = await Promise.all([
    collection
      .find(filter)
      .sort(sort)
      .skip((page - 1) * limit)
      .limit(limit)
      .toArray(),
    collection.countDocuments(filter),
  ]);
  const paging: Paging = { total, page, limit, pages: Math.ceil(total / limit) };
  return { records, paging };
}
