import { addMs, type Cents, cents, minuteMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import {
  type Debt,
  type Released,
  type Reservations,
  release,
  reserve,
  restOf,
  type Wanted,
} from "../domain/prompt/reservation.ts";

const lifetimeMs = 5 * minuteMs;
const triesMax = 20;
/** More prompts at once than any one debt has use for. */
const heldMax = 100;

interface ReservedDocument {
  /** What is paid for, such as invoice:<id>. */
  readonly _id: string;
  readonly version: number;
  readonly held: Reservations;
  readonly until: Date;
}

export interface AmountsReserved {
  /**
   * Reserves an amount of what is owed, or says what others have left of it. Who is alone may ask
   * for more than is owed: what is too much is kept as credit.
   */
  reserve(subject: string, wanted: Wanted, debt: Debt): Promise<Cents | "reserved">;
  release(subject: string, released: Released): Promise<void>;
}

export async function openReservations(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
): Promise<AmountsReserved> {
  const { store, clock } = service;
  const collection = store.db.collection<ReservedDocument>("reservations");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  /** The write fits only what was read; null leaves all as it is. */
  async function change(
    subject: string,
    decide: (held: Reservations) => Reservations | null,
  ): Promise<void> {
    for (let tries = 0; tries < triesMax; tries += 1) {
      const found = await collection.findOne({ _id: subject });
      const held = decide(found?.held ?? []);
      if (!held) return;
      const version = (found?.version ?? 0) + 1;
      const fields = { version, held, until: addMs(clock(), lifetimeMs) };
      try {
        const { matchedCount } = found
          ? await collection.updateOne({ _id: subject, version: found.version }, { $set: fields })
          : await insert({ _id: subject, ...fields });
        if (matchedCount === 1) return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    throw new Error("too many prompts for one debt at once");
  }

  async function insert(document: ReservedDocument) {
    await collection.insertOne(document);
    return { matchedCount: 1 };
  }

  return {
    async reserve(subject, wanted, debt) {
      let answer: Cents | "reserved" = "reserved";
      await change(subject, (held) => {
        const rest = restOf(debt, held, wanted.holder, clock());
        if (held.length >= heldMax) answer = cents(0);
        else answer = rest === null || wanted.amount <= rest ? "reserved" : rest;
        return answer === "reserved" ? reserve(held, wanted, clock()) : null;
      });
      return answer;
    },
    release: async (subject, released) =>
      change(subject, (held) =>
        held.some((each) => each.holder === released.holder)
          ? release(held, released, clock())
          : null,
      ),
  };
}
