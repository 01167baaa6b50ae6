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

/** Counting is linear, and a list of more than ten thousand records needs no exact total. */
const exactTotalMax = 10_000;
const totalMaxAgeMs = 10 * secondMs;
const cachedTotalsMax = 10_000;

interface CachedTotal {
  readonly total: number;
  readonly untilMs: number;
}

const cachedTotals = new Map<string, CachedTotal>();
const counting = new Map<string, Promise<number>>();

/** One page of a list, with the total number of records. A total above 10,000 may be 10 s old. */
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
  const cached = cachedTotals.get(key);
  if (cached && cached.untilMs > performance.now()) return cached.total;
  cachedTotals.delete(key);
  // Concurrent requests for a large total share one count. A small total is counted every time.
  const running = await counting.get(key)?.catch(() => 0);
  if (running !== undefined && running > exactTotalMax) return running;
  const count = countAndCache(collection, filter, key).finally(() => counting.delete(key));
  counting.set(key, count);
  return count;
}

async function countAndCache<Schema extends Document>(
  collection: Collection<Schema>,
  filter: Filter<Schema>,
  key: string,
): Promise<number> {
  const total = await collection.countDocuments(filter);
  if (total > exactTotalMax) {
    const [oldest] = cachedTotals.keys();
    if (cachedTotals.size >= cachedTotalsMax && oldest !== undefined) cachedTotals.delete(oldest);
    cachedTotals.set(key, { total, untilMs: performance.now() + totalMaxAgeMs });
  }
  return total;
}
