const windowMs = 8;
const many = 4;
const few = 8;

/** How many connections have written in the last few milliseconds. */
export class ActiveWriters {
  private current = new Set<number>();
  private previous = 0;
  private until = 0;

  note(writer: number): void {
    const now = performance.now();
    if (now >= this.until) {
      this.previous = now < this.until + windowMs ? this.current.size : 0;
      this.current.clear();
      this.until = now + windowMs;
    }
    this.current.add(writer);
  }

  private get count(): number {
    return Math.max(this.current.size, this.previous);
  }

  get worthWaiting(): boolean {
    return this.count >= many;
  }

  /** So many that no more need to be waited for: all of a few, or half of them. */
  get enough(): number {
    return Math.max(Math.min(this.count, few), Math.floor(this.count / 2));
  }
}
