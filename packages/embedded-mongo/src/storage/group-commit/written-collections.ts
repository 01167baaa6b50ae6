/** The collections that a commit group has written to. */
export class WrittenCollections {
  private readonly namespaces = new Set<string>();
  private includesAll = false;

  /** Undefined stands for a write that may be in any collection. */
  add(namespace: string | undefined): void {
    if (namespace === undefined) this.includesAll = true;
    else this.namespaces.add(namespace);
  }

  addAll(other: WrittenCollections): void {
    if (other.includesAll) this.includesAll = true;
    for (const namespace of other.namespaces) this.namespaces.add(namespace);
  }

  has(namespace: string): boolean {
    return this.includesAll || this.namespaces.has(namespace);
  }
}
