import { createLinkCode, type LinkOwner } from "@malipo/core";
import { type Db, ObjectId } from "mongodb";
import { drawRandomBytes } from "../crypto/index.ts";
import { batchInserts } from "./batch-commands.ts";

const triesMax = 10;

interface Target {
  readonly businessid: string;
  readonly recordid: string;
}

interface WantedCode extends Target {
  /** Draws a random code; called again if that code is taken. */
  readonly draw: () => string;
}

/** Codes that lead to a record without its business id: unique in the whole deployment. */
export interface Codes {
  /**
   * Draws and stores one code for each target, in their order. Call it before the records are
   * written, so that no record shows a code that leads nowhere.
   */
  create(wanted: readonly WantedCode[]): Promise<string[]>;
  find(code: string): Promise<Target | null>;
}

interface CodeDocument {
  readonly _id: string;
  readonly businessid: ObjectId;
  readonly recordid: ObjectId;
}

export function openCodes({ store }: { readonly store: { readonly db: Db } }): Codes {
  const collection = store.db.collection<CodeDocument>("codes");
  const insert = batchInserts(collection);
  return {
    create: async (wanted) => {
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

/** A code that people can read out: ten characters, the first of which names the owner. */
export function drawLinkCode(owner: LinkOwner): string {
  return createLinkCode(owner, drawRandomBytes(8));
}

/** A code that cannot be guessed: 128 bits, safe in a URL. */
export function drawSecretCode(): string {
  return drawRandomBytes(16).toString("base64url");
}
