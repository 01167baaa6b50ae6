export {
  type Change,
  type Changed,
  type Entity,
  type EntityOf,
  insertedRecord,
  type Made,
  recordWithoutEvents,
  type Saved,
  savedRecord,
} from "./entity.ts";
export { DuplicateRecord, VersionConflict } from "./record-errors.ts";
export { newestFirst, openRecords, type Records } from "./records.ts";
export { updateRecord } from "./update-record.ts";
