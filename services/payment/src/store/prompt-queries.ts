import { attemptPattern } from "@malipo/contracts";
import { addMs, dayMs, hourMs } from "@malipo/core";
import type { EventfulCollection } from "@malipo/platform";
import { ObjectId } from "mongodb";
import { type UnansweredPrompt, unansweredReasons } from "../domain/prompt/link-pause.ts";
import { type RecentPrompt, unsuccessfulReasons } from "../domain/prompt/phone-rest.ts";
import { timeouts } from "../domain/transaction/schedule.ts";
import { reverseDigits, type State } from "../domain/transaction/transaction.ts";
import { storedState } from "./transaction-document.ts";

/** What the limits of prompts need to know about earlier ones. */
export interface PromptQueries {
  /** The link's unanswered prompts of the last two hours, the newest first. */
  unansweredPrompts(businessid: string, linkid: string, now: Date): Promise<UnansweredPrompt[]>;
  /** How many prompts of the link may still be answered. */
  countOpenPrompts(businessid: string, linkid: string, now: Date): Promise<number>;
  /** What the rest of this phone follows from: the business's prompts of the last day, the newest first. */
  recentPrompts(businessid: string, phone: string, now: Date): Promise<RecentPrompt[]>;
  /** The phone has paid the business before. */
  hasPaid(businessid: string, phone: string): Promise<boolean>;
}

const openStates = (["calling", "prompted"] as const satisfies readonly State[]).map(storedState);

const latest = { createdat: -1, _id: -1 } as const;
/** More prompts than a phone gets in a day before its rests are as long as they become. */
const recentMax = 50;

/** Enough to find those of a tenth place behind all that nine may have in two hours. */
const unansweredPromptsMax = 800;

export function promptQueries(collection: EventfulCollection): PromptQueries {
  return { ...promptsOfLinks(collection), ...promptsOfPhones(collection) };
}

function promptsOfLinks(
  collection: EventfulCollection,
): Pick<PromptQueries, "unansweredPrompts" | "countOpenPrompts"> {
  return {
    async unansweredPrompts(businessid, linkid, now) {
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
          { projection: { createdat: 1, askedfrom: 1, askednetwork: 1 } },
        )
        .sort(latest)
        .limit(unansweredPromptsMax)
        .toArray();
      return found.map(({ createdat, askedfrom = null, askednetwork = null }) => ({
        createdat,
        askedfrom,
        askednetwork,
      }));
    },
    countOpenPrompts: async (businessid, linkid, now) =>
      collection.countDocuments({
        businessid: new ObjectId(businessid),
        paymentlinkid: linkid,
        createdat: { $gt: addMs(now, -timeouts.promptMs) },
        state: { $in: openStates },
      }),
  };
}

function promptsOfPhones(
  collection: EventfulCollection,
): Pick<PromptQueries, "recentPrompts" | "hasPaid"> {
  return {
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
            $or: [
              { state: "completed" },
              { state: "prompted", holder: { $not: attemptPattern } },
              { reason: { $in: unsuccessfulReasons }, holder: { $not: attemptPattern } },
            ],
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
