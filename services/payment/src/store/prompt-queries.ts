import { addMs, dayMs, hourMs } from "@malipo/core";
import type { EventfulCollection } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { RecentPrompt } from "../domain/prompt/phone-rest.ts";
import { timeouts } from "../domain/transaction/schedule.ts";
import { reverseDigits, type State } from "../domain/transaction/transaction.ts";
import { storedState } from "./transaction-document.ts";

/** What the limits of prompts need to know about earlier ones. */
export interface PromptQueries {
  /** When the link's unanswered prompts of the last two hours were created, the newest first. */
  unansweredPrompts(businessid: string, linkid: string, now: Date, limit: number): Promise<Date[]>;
  /** How many prompts of the link may still be answered. */
  countOpenPrompts(businessid: string, linkid: string, now: Date): Promise<number>;
  /** The business's prompts of this phone in the last day, the newest first. */
  recentPrompts(businessid: string, phone: string, now: Date): Promise<RecentPrompt[]>;
  /** The phone has paid the business before. */
  hasPaid(businessid: string, phone: string): Promise<boolean>;
}

/** Reasons that mean: the phone was not reached, or the payer did not answer. */
const unansweredReasons = ["unreachable", "expired", "not_delivered", "unresolved"];

const openStates = (["calling", "prompted"] as const satisfies readonly State[]).map(storedState);
const ringingStates = (
  ["prompted", "completed", "failed", "cancelled"] as const satisfies readonly State[]
).map(storedState);

const latest = { createdat: -1, _id: -1 } as const;
/** More prompts than a phone gets in a day before its rests are as long as they become. */
const recentMax = 50;

export function promptQueries(collection: EventfulCollection): PromptQueries {
  return {
    async unansweredPrompts(businessid, linkid, now, limit) {
      const found = await collection
        .find(
          {
            businessid: new ObjectId(businessid),
            paymentlinkid: linkid,
            createdat: { $gt: addMs(now, -2 * hourMs) },
            $or: [
              { reason: { $in: unansweredReasons } },
              { state: "prompted", promptedat: { $lte: addMs(now, -timeouts.promptMs) } },
            ],
          },
          { projection: { createdat: 1 } },
        )
        .sort(latest)
        .limit(limit)
        .toArray();
      return found.map(({ createdat }) => createdat);
    },
    countOpenPrompts: async (businessid, linkid, now) =>
      collection.countDocuments({
        businessid: new ObjectId(businessid),
        paymentlinkid: linkid,
        createdat: { $gt: addMs(now, -timeouts.promptMs) },
        state: { $in: openStates },
      }),
    async recentPrompts(businessid, phone, now) {
      const projection = {
        holder: 1,
        state: 1,
        reason: 1,
        createdat: 1,
        promptedat: 1,
        updatedat: 1,
        completedat: 1,
      };
      const found = await collection
        .find(
          {
            businessid: new ObjectId(businessid),
            phonetail: reverseDigits(phone),
            createdat: { $gt: addMs(now, -dayMs) },
            state: { $in: ringingStates },
          },
          { projection },
        )
        .sort(latest)
        .limit(recentMax)
        .toArray();
      return found.map(({ holder, state, reason, ...dates }) => ({
        holder,
        state,
        reason,
        createdat: dates["createdat"],
        promptedat: dates["promptedat"],
        updatedat: dates["updatedat"],
        completedat: dates["completedat"],
      }));
    },
    async hasPaid(businessid, phone) {
      const paid = await collection.findOne(
        {
          businessid: new ObjectId(businessid),
          phonetail: reverseDigits(phone),
          state: "completed",
        },
        { projection: { _id: 1 } },
      );
      return paid !== null;
    },
  };
}
