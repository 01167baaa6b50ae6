/** Somebody else changed the record since it was read: read it and decide again. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
}

/** A unique index holds already what the record says. */
export class DuplicateRecord extends Error {
  override readonly name = "DuplicateRecord";
}
