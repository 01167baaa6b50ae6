import { createHash } from "node:crypto";
import type { Paging } from "@malipo/contracts";
import {
  ensureIndexes,
  isDuplicateKey,
  type PageRequest,
  readPage,
  type Service,
} from "@malipo/platform";
import { ObjectId, type WithId } from "mongodb";
import type { UnmatchedPayment } from "../domain/transaction/decide.ts";
import { type SuspenseEntry, suspenseKey } from "../domain/suspense.ts";

/** The gauges count up to this. */
const countMax = 10_000;
/** The stored `takenfor` of an entry that is being closed without a transaction. */
const closing = "closing";

type Fields = Omit<SuspenseEntry, "id">;

interface SuspenseDocument extends Fields {
  /** The one transaction that an open entry may be assigned to, or `closing`; null for any. */
  readonly takenfor?: string | null;
}

/** Money that came and matches no transaction. */
export interface Suspense {
  /** False when the entry exists already. */
  add(
    payment: UnmatchedPayment,
    transaction: { readonly id: string; readonly businessid: string | null },
  ): Promise<boolean>;
  find(id: string): Promise<SuspenseEntry | null>;
  page(
    status: SuspenseEntry["status"],
    request: PageRequest,
  ): Promise<{ entries: SuspenseEntry[]; paging: Paging }>;
  /**
   * Takes an open entry for one transaction, or to be closed. Returns null, or what the entry is already
   * taken for. After a crash an entry can be taken again for the same purpose only.
   */
  take(id: string, assignedto: string | null): Promise<string | null>;
  /** Undoes `take`. Call it only when the money was certainly not counted. */
  giveBack(id: string, assignedto: string | null): Promise<void>;
  /** False when the entry is not open any more. */
  close(id: string, outcome: Pick<Fields, "status" | "assignedto" | "note">): Promise<boolean>;
  /** The open entries and their sum, for up to 10,000 entries. */
  countOpen(): Promise<{ readonly count: number; readonly shillings: number }>;
}

export async function openSuspense(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
): Promise<Suspense> {
  const { store, clock } = service;
  const collection = store.db.collection<SuspenseDocument>("suspense");
  await ensureIndexes(service, collection, [{ key: { status: 1, createdat: 1 } }]);
  return {
    async add({ kind, callback }, { id: transactionid, businessid }) {
      try {
        await collection.insertOne({
          _id: idOf(suspenseKey(transactionid, callback)),
          kind,
          businessid,
          transactionid,
          amount: callback.amount,
          momoreceiptnumber: callback.receiptnumber,
          checkoutrequestid: callback.checkoutrequestid,
          status: "open",
          assignedto: null,
          note: null,
          createdat: clock(),
        });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    async find(id) {
      const found = await collection.findOne({ _id: new ObjectId(id) });
      return found && entryOf(found);
    },
    async page(status, request) {
      const options = { sort: { createdat: 1, _id: 1 } } as const;
      const { documents, paging } = await readPage(collection, { status }, options, request);
      return { entries: documents.map(entryOf), paging };
    },
    async take(id, assignedto) {
      const takenfor = assignedto ?? closing;
      const taken = await collection.updateOne(
        { _id: new ObjectId(id), status: "open", takenfor: { $in: [null, takenfor] } },
        { $set: { takenfor } },
      );
      if (taken.matchedCount === 1) return null;
      const found = await collection.findOne({ _id: new ObjectId(id) });
      return found?.takenfor ?? "another";
    },
    async giveBack(id, assignedto) {
      await collection.updateOne(
        { _id: new ObjectId(id), status: "open", takenfor: assignedto ?? closing },
        { $set: { takenfor: null } },
      );
    },
    async close(id, outcome) {
      const closed = await collection.updateOne(
        { _id: new ObjectId(id), status: "open" },
        { $set: outcome },
      );
      return closed.matchedCount === 1;
    },
    countOpen: async () => {
      const amounts = await collection
        .find({ status: "open" }, { projection: { _id: 0, amount: 1 } })
        .limit(countMax)
        .toArray();
      const cents = amounts.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
      return { count: amounts.length, shillings: cents / 100 };
    },
  };
}

/** An ObjectId made from the key, so that repeated reports get the same id. */
function idOf(key: string): ObjectId {
  return new ObjectId(createHash("sha256").update(key).digest().subarray(0, 12));
}

function entryOf({ _id, takenfor: _takenfor, ...fields }: WithId<SuspenseDocument>): SuspenseEntry {
  return { id: String(_id), ...fields };
}
