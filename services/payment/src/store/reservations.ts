import { addMs, type Cents, cents, minuteMs } from "@malipo/core";
import { ensureIndexes, isDuplicateKey, type Service } from "@malipo/platform";
import {
  type Debt,
  type DebtReservations,
  type EndedPrompt,
  type NewReservation,
  release,
  reserve,
  unreservedAmount,
} from "../domain/prompt/reservation.ts";

const lifetimeMs = 5 * minuteMs;
const attemptsMax = 20;
/** One debt never needs more prompts at once. */
const reservationsMax = 100;

interface DebtDocument {
  /** The debt, such as `invoice:<id>`. */
  readonly _id: string;
  readonly version: number;
  readonly held: DebtReservations;
  readonly until: Date;
}

/** The amounts that prompts ask for, by debt. */
export interface Reservations {
  /**
   * Reserves an amount, or returns how much of the debt others have left. When no other prompt is under
   * way, an amount above the debt is reserved too: the surplus becomes credit.
   */
  reserve(debtId: string, added: NewReservation, debt: Debt): Promise<Cents | "reserved">;
  release(debtId: string, ended: EndedPrompt): Promise<void>;
}

export async function openReservations(
  service: Pick<Service, "store" | "clock" | "log" | "shutdown">,
): Promise<Reservations> {
  const { store, clock } = service;
  const collection = store.db.collection<DebtDocument>("reservations");
  await ensureIndexes(service, collection, [{ key: { until: 1 }, expireAfterSeconds: 0 }]);

  /** Writes only over the version that was read, else decides again. Null changes nothing. */
  async function change(
    debtId: string,
    decide: (held: DebtReservations) => DebtReservations | null,
  ): Promise<void> {
    for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
      const found = await collection.findOne({ _id: debtId });
      const held = decide(found?.held ?? []);
      if (!held) return;
      const version = (found?.version ?? 0) + 1;
      const fields = { version, held, until: addMs(clock(), lifetimeMs) };
      try {
        const { matchedCount } = found
          ? await collection.updateOne({ _id: debtId, version: found.version }, { $set: fields })
          : await insert({ _id: debtId, ...fields });
        if (matchedCount === 1) return;
      } catch (error) {
        if (!isDuplicateKey(error)) throw error;
      }
    }
    throw new Error(`reservations of one debt conflicted ${attemptsMax} times`);
  }

  async function insert(document: DebtDocument) {
    await collection.insertOne(document);
    return { matchedCount: 1 };
  }

  return {
    async reserve(debtId, added, debt) {
      let answer: Cents | "reserved" = "reserved";
      await change(debtId, (held) => {
        const left = unreservedAmount(debt, held, added.holder, clock());
        if (held.length >= reservationsMax) answer = cents(0);
        else answer = left === null || added.amount <= left ? "reserved" : left;
        return answer === "reserved" ? reserve(held, added, clock()) : null;
      });
      return answer;
    },
    release: async (debtId, ended) =>
      change(debtId, (held) =>
        held.some((each) => each.holder === ended.holder) ? release(held, ended, clock()) : null,
      ),
  };
}
