/** The collections that a group has written in, as far as that is known. */
export class Touched {
  private readonly namespaces = new Set<string>();
  private all = false;

  /** Undefined for one that may have been any. */
  add(namespace: string | undefined): void {
    if (namespace === undefined) this.all = true;
    else this.namespaces.add(namespace);
  }

  addAll(other: Touched): void {
    if (other.all) this.all = true;
    for (const namespace of other.namespaces) this.namespaces.add(namespace);
  }

  has(namespace: string): boolean {
    return this.all || this.namespaces.has(namespace);
  }
}
