export {
  type Change,
  type RecordChange,
  type Entity,
  type EntityOf,
  insertedRecord,
  isApplied,
  type NewRecord,
  recordWithoutEvents,
  type StoredRecord,
  savedRecord,
} from "./entity.ts";
export { DuplicateRecord, VersionConflict } from "./record-errors.ts";
export { newestFirstIndex, openRecords, type Records } from "./records.ts";
export { updateRecord } from "./update-record.ts";
