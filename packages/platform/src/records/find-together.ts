import { type Document, ObjectId } from "mongodb";
import type { EventfulCollection } from "../outbox/event-document.ts";
import { eachTurn } from "../batching/turn.ts";

const batchMax = 100;

/** A history of events is for the relay and a replay; nobody else needs to read it. */
export const withoutHistory = { projection: { events: 0 } } as const;

interface Wanted {
  readonly businessid: string;
  readonly id: string;
  readonly resolve: (document: Document | null) => void;
  readonly reject: (error: unknown) => void;
}

/** Single records by business and id. Those asked for in one turn are one query: it costs a tenth. */
export function findTogether(collection: EventfulCollection) {
  const ask = eachTurn<Wanted>(batchMax, (wanted) => void answer(wanted));

  async function answer(wanted: readonly Wanted[]) {
    try {
      const filter = { _id: anyOf(wanted, "id"), businessid: anyOf(wanted, "businessid") };
      const documents = await collection.find(filter, withoutHistory).toArray();
      // The query finds any of the ids in any of the businesses; the pair is checked here.
      const byId = new Map(
        documents.map((document) => {
          const found = { document, businessid: String(document.businessid) };
          return [String(document._id), found];
        }),
      );
      for (const { businessid, id, resolve } of wanted) {
        const found = byId.get(id);
        resolve(found?.businessid === businessid ? found.document : null);
      }
    } catch (error) {
      for (const { reject } of wanted) reject(error);
    }
  }

  return (businessid: string, id: string): Promise<Document | null> =>
    new Promise((resolve, reject) => {
      ask({ businessid, id: id.toLowerCase(), resolve, reject });
    });
}

function anyOf(wanted: readonly Wanted[], field: "id" | "businessid") {
  return { $in: [...new Set(wanted.map((each) => each[field]))].map((id) => new ObjectId(id)) };
}
