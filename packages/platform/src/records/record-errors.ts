/** Another writer has changed the record since it was read: read it and decide again. */
export class VersionConflict extends Error {
  override readonly name = "VersionConflict";
}

/** A unique index already holds a key of the new record. */
export class DuplicateRecord extends Error {
  override readonly name = "DuplicateRecord";
}
