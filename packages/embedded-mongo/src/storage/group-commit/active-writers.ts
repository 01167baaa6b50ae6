const windowMs = 8;
const manyWriters = 4;
const fewWriters = 8;

/** Counts the connections that wrote in the current or in the previous window of 8 ms. */
export class ActiveWriters {
  private current = new Set<number>();
  private previousCount = 0;
  private windowEndsAt = 0;

  record(writer: number): void {
    const now = performance.now();
    if (now >= this.windowEndsAt) {
      this.previousCount = now < this.windowEndsAt + windowMs ? this.current.size : 0;
      this.current.clear();
      this.windowEndsAt = now + windowMs;
    }
    this.current.add(writer);
  }

  private get count(): number {
    return Math.max(this.current.size, this.previousCount);
  }

  get hasMany(): boolean {
    return this.count >= manyWriters;
  }

  /** The number of waiting writers at which a group commits: all of up to 8, or half of more. */
  get enoughToCommit(): number {
    return Math.max(Math.min(this.count, fewWriters), Math.floor(this.count / 2));
  }
}
