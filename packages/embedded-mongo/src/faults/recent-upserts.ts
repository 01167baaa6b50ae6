import type { Collection } from "../storage/collection.ts";

const recentMs = 100;
const keptMax = 1_000;

/**
 * Which documents an upsert inserted a moment ago: another upsert that began before would not have
 * seen them, would have inserted its own, and failed where a unique index has their key.
 */
export class RecentUpserts {
  private readonly insertedAt = new Map<string, number>();
  private readonly misses: () => boolean;

  constructor(misses: () => boolean) {
    this.misses = misses;
  }

  inserted(collection: Collection, rid: number): void {
    if (this.insertedAt.size >= keptMax) this.insertedAt.clear();
    this.insertedAt.set(`${collection.id}:${rid}`, Date.now());
  }

  /** Whether an upsert that found the document is to insert instead. */
  unseen(collection: Collection, rid: number): boolean {
    const at = this.insertedAt.get(`${collection.id}:${rid}`);
    return at !== undefined && Date.now() - at <= recentMs && this.misses();
  }
}
