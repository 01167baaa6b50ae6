import type { Collection } from "../storage/collections/collection.ts";

const recentMs = 100;
const rememberedMax = 1_000;

/**
 * Remembers the documents that upserts have just inserted. On a real replica set a concurrent
 * upsert may not see them: it inserts its own document and fails if a unique index holds the key.
 */
export class RecentUpserts {
  private readonly insertedAt = new Map<string, number>();
  private readonly overlooks: () => boolean;

  constructor(overlooks: () => boolean) {
    this.overlooks = overlooks;
  }

  recordInsert(collection: Collection, rid: number): void {
    if (this.insertedAt.size >= rememberedMax) this.insertedAt.clear();
    this.insertedAt.set(`${collection.id}:${rid}`, Date.now());
  }

  /** Whether an upsert that found the document must insert instead. */
  isOverlooked(collection: Collection, rid: number): boolean {
    const at = this.insertedAt.get(`${collection.id}:${rid}`);
    return at !== undefined && Date.now() - at <= recentMs && this.overlooks();
  }
}
