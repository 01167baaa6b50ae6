import { randomBytes } from "node:crypto";

/** The place of a pending publication in the outbox of one process. */
export interface OutboxPosition {
  readonly publisherId: string;
  /** From 1 to `sequenceMax`, in the order in which the publisher reserved its positions. */
  readonly sequence: number;
}

/** The sequence is stored in four bytes. */
export const sequenceMax = 0xffff_ffff;

/** A unique id; the ids of later publishers sort behind those of earlier ones. */
export function newPublisherId(now: Date): string {
  const seconds = Math.floor(now.getTime() / 1_000) % sequenceMax;
  return seconds.toString(16).padStart(8, "0") + randomBytes(4).toString("hex");
}

export function samePosition(one: OutboxPosition | undefined, other: OutboxPosition): boolean {
  return one?.publisherId === other.publisherId && one.sequence === other.sequence;
}
