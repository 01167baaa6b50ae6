const windowMs = 8;
const many = 4;

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

  get half(): number {
    return Math.max(1, Math.floor(this.count / 2));
  }
}
