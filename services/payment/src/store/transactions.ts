import type { Paging, QueryOf, routes } from "@malipo/contracts";
import {
  type Cause,
  type RecordChange,
  type EventfulCollection,
  type EventfulDocument,
  reconciliationIndex,
  parkedReconciliationIndex,
  newestFirstIndex,
  openRecords,
  type Records,
  type Service,
  batchCommands,
  VersionConflict,
  withoutEvents,
} from "@malipo/platform";
import { type Filter, ObjectId } from "mongodb";
import type { Decision } from "../domain/transaction/decide.ts";
import { reverseDigits, type Transaction } from "../domain/transaction/transaction.ts";
import { promptQueries, type PromptQueries } from "./prompt-queries.ts";
import {
  fieldsOf,
  fromStored,
  type ReadCode,
  readFields,
  type StoredTransaction,
  storedState,
  toStored,
  type TransactionFields,
  transactionOf,
} from "./transaction-document.ts";

export interface DueTransaction {
  readonly id: string;
  readonly nextquery: Date;
}

type ListQuery = QueryOf<typeof routes.listTransactions>;

export interface Transactions extends PromptQueries {
  readonly collection: EventfulCollection;
  /** Returns the transaction of the first attempt when the operation is repeated. */
  insert(transaction: Transaction, cause: Cause): Promise<Transaction>;
  find(businessid: string, id: string): Promise<StoredTransaction | null>;
  /** For jobs and callbacks, which know no business. */
  get(id: string): Promise<StoredTransaction | null>;
  /** Rejects with `VersionConflict` when the transaction changed since it was read. */
  save(before: StoredTransaction, decision: Decision, cause: Cause): Promise<void>;
  /**
   * Like `save`, but shares one write with other transactions. A decision without events may be reported
   * as a conflict although it was saved, so the caller must be able to decide again.
   */
  saveBatched(before: StoredTransaction, decision: Decision, cause: Cause): Promise<void>;
  page(
    businessid: string,
    query: ListQuery,
  ): Promise<{ transactions: Transaction[]; paging: Paging }>;
  /** The transaction that an earlier attempt of this operation created. */
  findByOperation(businessid: string, operationid: string): Promise<StoredTransaction | null>;
  /** The transactions that the reconciliation job must check by now, the longest due first. */
  findDue(now: Date, limit: number): Promise<DueTransaction[]>;
  /** Postpones a due transaction. True for one process only: that one checks it. */
  lease(due: DueTransaction, until: Date): Promise<boolean>;
}

const pendingStates = (["unsent", "calling", "prompted"] as const).map(storedState);

const latest = { createdat: -1, _id: -1 } as const;

/** The condition of the partial index. A query must repeat it to use the index. */
const isScheduled = { $type: "date" } as const;

const indexes = [
  newestFirstIndex,
  { key: { businessid: 1, state: 1, ...latest } },
  { key: { businessid: 1, customerid: 1, ...latest } },
  { key: { businessid: 1, invoiceid: 1, ...latest } },
  { key: { businessid: 1, phonetail: 1, ...latest } },
  { key: { businessid: 1, paymentlinkid: 1, ...latest } },
  {
    key: { nextquery: 1 },
    name: "due",
    partialFilterExpression: { nextquery: isScheduled },
  },
  reconciliationIndex,
  parkedReconciliationIndex,
] as const;

export async function openTransactions(
  service: Service,
  readCode: ReadCode,
): Promise<Transactions> {
  const records = await openRecords<TransactionFields>(
    service,
    "transactions",
    indexes,
    readFields,
    ({ momoreceiptnumber, referenceid }) => ({
      numbers: [momoreceiptnumber],
      texts: [referenceid],
    }),
  );
  const { collection } = records;
  return {
    collection,
    insert: async (transaction, cause) =>
      transactionOf(await records.insert(fieldsOf(transaction), [], cause), readCode),
    async find(businessid, id) {
      const found = await records.find(businessid, id);
      return found && fromStored(found, readCode);
    },
    get: getBatched(records, readCode),
    save: async (before, { entity, events }, cause) =>
      records.save(toStored(before), { entity: fieldsOf(entity), events }, cause),
    saveBatched: saveBatched(records),
    async page(businessid, query) {
      const { entities, paging } = await records.page(businessid, filterOf(query), query);
      return { transactions: entities.map((fields) => transactionOf(fields, readCode)), paging };
    },
    async findByOperation(businessid, operationid) {
      const created = { businessid: new ObjectId(businessid), createdby: operationid };
      const found = await collection.findOne(created, withoutEvents);
      return found && fromStored(records.storedRecordOf(found), readCode);
    },
    ...promptQueries(collection),
    ...dueTransactions(collection),
  };
}

function dueTransactions(collection: EventfulCollection): Pick<Transactions, "findDue" | "lease"> {
  return {
    async findDue(now, limit) {
      const found = await collection
        .find({ nextquery: { ...isScheduled, $lte: now } }, { projection: { nextquery: 1 } })
        .sort({ nextquery: 1 })
        .limit(limit)
        .toArray();
      return found.map(({ _id, nextquery }) => ({ id: String(_id), nextquery }));
    },
    async lease({ id, nextquery }, until) {
      const leased = await collection.updateOne(
        { _id: new ObjectId(id), nextquery },
        { $set: { nextquery: until } },
      );
      return leased.modifiedCount === 1;
    },
  };
}

function filterOf(query: ListQuery): Filter<EventfulDocument> {
  const { status, customerid, invoiceid, phone, from, to } = query;
  return {
    ...(status && { state: { $in: status === "pending" ? pendingStates : [status] } }),
    ...(customerid !== undefined && { customerid: customerid.toLowerCase() }),
    ...(invoiceid !== undefined && { invoiceid: invoiceid.toLowerCase() }),
    ...(phone !== undefined && { phonetail: startsWith(reverseDigits(phone)) }),
    ...((from || to) && { createdat: { ...(from && { $gte: from }), ...(to && { $lte: to }) } }),
  };
}

/** A range, because an index serves it. `:` follows `9` in ASCII. */
function startsWith(digits: string) {
  return { $gte: digits, $lt: `${digits}:` };
}

const batchMax = 100;

function getBatched(records: Records<TransactionFields>, readCode: ReadCode): Transactions["get"] {
  return batchCommands<string, StoredTransaction | null>(batchMax, async (ids) => {
    const _id = { $in: ids.map((id) => new ObjectId(id)) };
    const documents = await records.collection.find({ _id }, withoutEvents).toArray();
    const byId = new Map(
      documents.map((found) => [
        String(found._id),
        fromStored(records.storedRecordOf(found), readCode),
      ]),
    );
    return ids.map((id) => byId.get(id.toLowerCase()) ?? null);
  });
}

function saveBatched(records: Records<TransactionFields>): Transactions["saveBatched"] {
  const save = batchCommands<RecordChange<TransactionFields>, boolean>(
    batchMax,
    async (changes) => {
      // Of several changes to one transaction, only one can be saved.
      const byId = new Map(changes.map((each) => [each.before.entity.id, each] as const));
      const conflicts = await records.saveMany([...byId.values()]);
      return changes.map((each) => {
        const { id } = each.before.entity;
        return byId.get(id) === each && !conflicts.has(id);
      });
    },
  );
  return async (before, { entity, events }, cause) => {
    const change = { entity: fieldsOf(entity), events };
    const isSaved = await save({ before: toStored(before), change, cause });
    if (!isSaved) throw new VersionConflict(before.entity.id);
  };
}
