import { VersionConflict } from "./record-errors.ts";

/** Every round lets one writer through, so this many conflicts in a row are a defect. */
const attemptsMax = 100;

export interface RecordUpdate<Found, Change> {
  /** Reads the record; null if there is none. Called again for each attempt, from 1. */
  readonly find: (attempt: number) => Promise<Found | null>;
  /** Null changes nothing. Called again for each attempt, so it must be repeatable. */
  readonly decide: (found: Found) => Change | null | Promise<Change | null>;
  /** Rejects with `VersionConflict` if the record has changed since it was read. */
  readonly save: (found: Found, change: Change) => Promise<void>;
  /**
   * On a conflict: `retry` reads and decides again until the change fits, for events and jobs.
   * `throw` leaves that to the caller: `serveRoutes` repeats the whole request. `skip` saves nothing,
   * for work that comes again.
   */
  readonly onConflict: "retry" | "throw" | "skip";
}

export interface UpdateOutcome<Found, Change> {
  readonly found: Found;
  /** Null when nothing was saved. */
  readonly change: Change | null;
}

/** Reads a record, decides on it, and saves the change. Null when there is no record. */
export async function updateRecord<Found, Change>({
  find,
  decide,
  save,
  onConflict,
}: RecordUpdate<Found, Change>): Promise<UpdateOutcome<Found, Change> | null> {
  for (let attempt = 1; ; attempt += 1) {
    const found = await find(attempt);
    if (found === null) return null;
    const change = await decide(found);
    if (change === null) return { found, change };
    try {
      await save(found, change);
      return { found, change };
    } catch (error) {
      if (!(error instanceof VersionConflict)) throw error;
      if (onConflict === "skip") return { found, change: null };
      if (onConflict === "throw" || attempt === attemptsMax) throw error;
    }
  }
}
