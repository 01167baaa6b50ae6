import type { Paging } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import {
  BSON,
  type Collection,
  type Document,
  type Filter,
  type FindOptions,
  type WithId,
} from "mongodb";

const { EJSON } = BSON;

export interface PageRequest {
  readonly page: number;
  readonly limit: number;
}

/** Counting is linear, and nobody pages through ten thousand records by their exact number. */
const countedAfreshMax = 10_000;
const totalLifetimeMs = 10 * secondMs;
const totalsMax = 10_000;

interface Total {
  readonly total: number;
  readonly until: number;
}

const totals = new Map<string, Total>();
const counting = new Map<string, Promise<number>>();

/** One page of a list, and how many records there are in all. */
export async function readPage<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
  options: FindOptions,
  { page, limit }: PageRequest,
): Promise<{ documents: WithId<Schema>[]; paging: Paging }> {
  const [documents, total] = await Promise.all([
    collection.find(filter, { ...options, skip: (page - 1) * limit, limit }).toArray(),
    countRecords(collection, filter),
  ]);
  return { documents, paging: { total, page, limit, pages: Math.ceil(total / limit) } };
}

async function countRecords<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
): Promise<number> {
  const key = `${collection.namespace} ${EJSON.stringify(filter)}`;
  const known = totals.get(key);
  if (known && known.until > performance.now()) return known.total;
  totals.delete(key);
  // Many who ask at once for a large total wait for one count; a small one is each time afresh.
  const running = await counting.get(key)?.catch(() => 0);
  if (running !== undefined && running > countedAfreshMax) return running;
  const count = countAndKeep(collection, filter, key).finally(() => counting.delete(key));
  counting.set(key, count);
  return count;
}

async function countAndKeep<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
  key: string,
): Promise<number> {
  const total = await collection.countDocuments(filter);
  if (total > countedAfreshMax) {
    const [oldest] = totals.keys();
    if (totals.size >= totalsMax && oldest !== undefined) totals.delete(oldest);
    totals.set(key, { total, until: performance.now() + totalLifetimeMs });
  }
  return total;
}
