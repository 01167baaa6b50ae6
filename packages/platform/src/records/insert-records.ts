import type { NewEvent } from "@malipo/contracts";
import { type Document, ObjectId } from "mongodb";
import { duplicatesOf, batchInserts } from "../mongo/index.ts";
import type {
  Cause,
  EventfulCollection,
  EventfulDocument,
  EventFields,
  Outbox,
} from "../outbox/index.ts";
import { type Entity, type EntityOf, type NewRecord, createdBy, storedRecordOf } from "./entity.ts";
import { DuplicateRecord } from "./record-errors.ts";

export interface RecordInserts<E extends Entity> {
  /** The entity as it is stored: when the operation is repeated, the one of the first time. */
  insert(entity: E, events: readonly NewEvent[], cause: Cause): Promise<E>;
  /** Leaves out records whose key a unique index already holds. Answers how many were new. */
  insertMany(records: readonly NewRecord<E>[]): Promise<number>;
}

export function insertsInto<E extends Entity>(
  collection: EventfulCollection,
  outbox: Outbox,
  entityOf: EntityOf<E>,
  fieldsOf: (entity: E) => Document,
): RecordInserts<E> {
  const insertDocument = batchInserts(collection);

  function documentOf(
    { entity, cause }: NewRecord<E>,
    eventFields: EventFields | undefined,
  ): EventfulDocument {
    return {
      _id: new ObjectId(entity.id),
      businessid: new ObjectId(entity.businessid),
      ...fieldsOf(entity),
      version: 1,
      ...(eventFields as EventFields),
      ...createdBy(cause),
    };
  }

  async function findCreatedBy(businessid: string, { operationid }: Cause): Promise<E | null> {
    if (operationid === undefined) return null;
    const first = await collection.findOne({
      businessid: new ObjectId(businessid),
      createdby: operationid,
    });
    return first && storedRecordOf(first, entityOf).entity;
  }

  return {
    insert: async (entity, events, cause) => {
      const record = { entity, events, cause };
      const [outcome] = await outbox.insert(collection, [record], async ([eventFields]) => {
        const document = documentOf(record, eventFields);
        // A duplicate may be this very write: the driver repeats a write whose answer was lost.
        return [(await insertDocument(document)) ? document : "unknown"];
      });
      if (outcome !== "unknown") return entity;
      const first = await findCreatedBy(entity.businessid, cause);
      if (!first) throw new DuplicateRecord(entity.id);
      return first;
    },
    insertMany: async (records) => {
      if (records.length === 0) return 0;
      const outcomes = await outbox.insert(collection, records, async (eventFields) => {
        const documents = records.map((each, index) => documentOf(each, eventFields[index]));
        const insert = () => collection.insertMany(documents, { ordered: false });
        const duplicates = await duplicatesOf(insert);
        return documents.map((document, index) => (duplicates.has(index) ? "unknown" : document));
      });
      return outcomes.filter((outcome) => outcome !== "unknown").length;
    },
  };
}
