import type { Connection } from "./connection.ts";

/** The open connections. Clients that have not authenticated cannot use up the places of all. */
export class Connections {
  private readonly open = new Set<Connection>();
  /** In the order of their last messages, oldest first. */
  private readonly unauthenticated = new Set<Connection>();
  private readonly max: number;
  private readonly unauthenticatedMax: number;

  constructor(bounds: { connectionsMax: number; unauthenticatedConnectionsMax: number }) {
    this.max = bounds.connectionsMax;
    this.unauthenticatedMax = bounds.unauthenticatedConnectionsMax;
  }

  get size(): number {
    return this.open.size;
  }

  get isFull(): boolean {
    return this.open.size >= this.max;
  }

  add(connection: Connection, isAuthenticated: boolean): void {
    this.open.add(connection);
    if (isAuthenticated) return;
    // A client that is about to authenticate spoke last, so a silent one makes room for it.
    const [longestSilent] = this.unauthenticated;
    if (longestSilent !== undefined && this.unauthenticated.size >= this.unauthenticatedMax) {
      this.unauthenticated.delete(longestSilent);
      longestSilent.close();
    }
    this.unauthenticated.add(connection);
  }

  noteMessage(connection: Connection): void {
    if (this.unauthenticated.delete(connection)) this.unauthenticated.add(connection);
  }

  noteAuthenticated(connection: Connection): void {
    this.unauthenticated.delete(connection);
  }

  delete(connection: Connection): void {
    this.open.delete(connection);
    this.unauthenticated.delete(connection);
  }

  closeAll(): void {
    for (const connection of this.open) connection.close();
  }
}
