import { linkCode, type LinkOwner } from "@malipo/core";
import { ObjectId } from "mongodb";
import { insertTogether } from "../records/insert-together.ts";
import { fewRandomBytes } from "../crypto/index.ts";
import type { Service } from "../service/service.ts";

const triesMax = 10;

interface Target {
  readonly businessid: string;
  readonly recordid: string;
}

interface Wanted extends Target {
  /** Draws a code; called again should that one be taken. */
  readonly draw: () => string;
}

/** Codes that open a record without its business being known: unique in the whole deployment. */
export interface Codes {
  /** Drawn and kept, in the order asked for. Write them before the records that they point to. */
  keep(wanted: readonly Wanted[]): Promise<string[]>;
  find(code: string): Promise<Target | null>;
}

interface CodeDocument {
  readonly _id: string;
  readonly businessid: ObjectId;
  readonly recordid: ObjectId;
}

export function openCodes({ store }: Pick<Service, "store">): Codes {
  const collection = store.db.collection<CodeDocument>("codes");
  const insert = insertTogether(collection);
  return {
    keep: async (wanted) => {
      const codes = wanted.map(({ draw }) => draw());
      let missing = codes.map((_, index) => index);
      for (let tries = 1; missing.length > 0; tries += 1) {
        if (tries > triesMax) throw new Error(`no free code in ${triesMax} draws`);
        const areNew = await Promise.all(
          missing.map((index) => insert(documentOf(codes[index] ?? "", wanted[index]))),
        );
        missing = missing.filter((_, position) => !areNew[position]);
        for (const index of missing) codes[index] = wanted[index]?.draw() ?? "";
      }
      return codes;
    },
    find: async (code) => {
      const found = await collection.findOne({ _id: code });
      if (!found) return null;
      return { businessid: String(found.businessid), recordid: String(found.recordid) };
    },
  };
}

function documentOf(code: string, target: Target | undefined): CodeDocument {
  return {
    _id: code,
    businessid: new ObjectId(target?.businessid),
    recordid: new ObjectId(target?.recordid),
  };
}

/** For people to read out: ten characters, the first of which names the owner. */
export function linkCodeOf(owner: LinkOwner): string {
  return linkCode(owner, fewRandomBytes(8));
}

/** For nobody to guess: 128 bits, fit for an address. */
export function secretCode(): string {
  return fewRandomBytes(16).toString("base64url");
}
