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
import type { Misfit } from "../domain/transaction/decide.ts";
import { type SuspenseEntry, suspenseKey } from "../domain/suspense.ts";

/** More are somebody's trouble already, however many. */
const openMax = 10_000;
/** What an entry is taken for that is no transaction's. */
const closing = "closing";

type Fields = Omit<SuspenseEntry, "id">;

interface SuspenseDocument extends Fields {
  /** What it has been taken for while it is still open; nothing else may be done with it. */
  readonly takenfor?: string | null;
}

export interface SuspenseList {
  /** True when it was not there before. */
  add(
    misfit: Misfit,
    transaction: { readonly id: string; readonly businessid: string | null },
  ): Promise<boolean>;
  find(id: string): Promise<SuspenseEntry | null>;
  page(
    status: SuspenseEntry["status"],
    request: PageRequest,
  ): Promise<{ entries: SuspenseEntry[]; paging: Paging }>;
  /**
   * For this transaction, or to be closed; null, or what it has been taken for before that. What a
   * crash left taken can be taken for the same again.
   */
  take(id: string, assignedto: string | null): Promise<string | null>;
  /** It was surely not counted. */
  giveBack(id: string, assignedto: string | null): Promise<void>;
  /** False when it is not open any more. */
  close(id: string, outcome: Pick<Fields, "status" | "assignedto" | "note">): Promise<boolean>;
  /** How much there is that waits for somebody, up to a bound. */
  open(): Promise<{ readonly count: number; readonly shillings: number }>;
}

export async function openSuspenseList(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
): Promise<SuspenseList> {
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
    open: async () => {
      const amounts = await collection
        .find({ status: "open" }, { projection: { _id: 0, amount: 1 } })
        .limit(openMax)
        .toArray();
      const cents = amounts.reduce((sum, { amount }) => sum + (amount ?? 0), 0);
      return { count: amounts.length, shillings: cents / 100 };
    },
  };
}

/** Identifiers are all of one shape, also where the key is something else. */
function idOf(key: string): ObjectId {
  return new ObjectId(createHash("sha256").update(key).digest().subarray(0, 12));
}

function entryOf({ _id, takenfor: _takenfor, ...fields }: WithId<SuspenseDocument>): SuspenseEntry {
  return { id: String(_id), ...fields };
}
