import { addMs, type Cents, cents, minuteMs } from "@malipo/core";
import { ensureIndexes, type Service, updateRecord } from "@malipo/platform";
import {
  type Debt,
  type DebtReservations,
  type EndedPrompt,
  type NewReservation,
  release,
  reserve,
  unreservedAmount,
} from "../domain/prompt/reservation.ts";
import { writeVersion } from "./write-version.ts";

const lifetimeMs = 5 * minuteMs;
/** One debt never needs more prompts at once. */
const reservationsMax = 100;

interface DebtDocument {
  /** The debt, such as `invoice:<id>`. */
  readonly _id: string;
  readonly version: number;
  readonly held: DebtReservations;
  readonly until: Date;
}

type StoredReservations = Pick<DebtDocument, "version" | "held">;

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
    await updateRecord<StoredReservations, DebtReservations>({
      find: async () => (await collection.findOne({ _id: debtId })) ?? { version: 0, held: [] },
      decide: ({ held }) => decide(held),
      save: async ({ version }, held) =>
        writeVersion(
          collection,
          { _id: debtId, version },
          { held, until: addMs(clock(), lifetimeMs) },
        ),
      onConflict: "retry",
    });
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
