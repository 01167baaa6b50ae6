import { extractQueryWords, extractSearchWords } from "@malipo/core";
import { useSharedServers } from "@malipo/testing";
import fc from "fast-check";
import { ObjectId } from "mongodb";
import { describe, expect, it } from "vitest";
import { newestFirstIndex, openRecords, type Records } from "../src/records/index.ts";
import { newId, type Numbered, runningPart, searchQuery } from "../src/mongo/index.ts";
import type { Service } from "../src/service/service.ts";
import { cause } from "./notes.ts";
import { openTestService } from "./test-service.ts";

const servers = useSharedServers();

/** The smallest record that has a number. */
interface Bill {
  readonly id: string;
  readonly businessid: string;
  readonly billno: string;
  readonly text: string;
  readonly createdat: Date;
}

const numbered: Numbered = { field: "billno", prefix: "BIL" };

function openBills(service: Service): Promise<Records<Bill>> {
  return openRecords<Bill>(
    service,
    "bills",
    [newestFirstIndex],
    (ids, { billno, text, createdat }) => ({ ...ids, billno, text, createdat }),
    ({ billno, text }) => ({ texts: [billno, runningPart(billno), text] }),
    numbered,
  );
}

function newBill(businessid: string, number: number, text: string, second = number): Bill {
  const createdat = new Date(cause.now.getTime() + second * 1_000);
  return { id: newId(), businessid, billno: numberOf(number), text, createdat };
}

const numberOf = (number: number) => `BIL-${String(number).padStart(6, "0")}`;

async function fill(bills: Records<Bill>, made: readonly Bill[]): Promise<void> {
  await bills.insertMany(made.map((entity) => ({ entity, events: [], cause })));
}

/** The model of an earlier release, which stored each beginning of a number as a word. */
function isFoundByWords({ billno, text }: Bill, search: string): boolean {
  const asked = extractQueryWords(search);
  const words = extractSearchWords({ numbers: [billno], texts: [text] });
  return asked.length > 0 && asked.every((word) => words.includes(word));
}

const beginning = /^bil(-\d{1,5})?$/;

/** Words of the text never match the beginning of a number, nor does a whole number. */
function isFound({ billno, text }: Bill, search: string): boolean {
  const asked = extractQueryWords(search);
  const numberWords = extractSearchWords({ numbers: [billno], texts: [] });
  const whole = [...numberWords.slice(0, 2), ...extractSearchWords({ texts: [text] })];
  const within = (word: string) => (beginning.test(word) ? numberWords : whole).includes(word);
  return asked.length > 0 && asked.every(within);
}

const isPlain = ({ billno, text }: Bill) => billno.length === 10 && !/bil/i.test(text);

/** By number if the search has beginnings of numbers only, else newest first. */
function inOrder(bills: readonly Bill[], search: string): Bill[] {
  const asked = extractQueryWords(search);
  const isByNumber =
    asked.every((word) => beginning.test(word)) && asked.some((word) => word !== "bil");
  const byTime = bills.toSorted((a, b) => Number(b.createdat) - Number(a.createdat));
  return isByNumber ? byTime.toSorted((a, b) => (a.billno < b.billno ? 1 : -1)) : byTime;
}

const word = fc.constantFrom("asha", "Rent", "12", "2030-01-31", "bill", "bi", "été", "BIL");
const number = fc.oneof(
  fc.integer({ min: 1, max: 30 }),
  fc.constantFrom(123, 12_345, 99_999, 123_456, 1_234_567, 12_345_678),
);
const mention = fc
  .tuple(number, fc.integer({ min: 2, max: 12 }))
  .map(([of, length]) => numberOf(of).slice(0, length));
const oddity = fc.constantFrom(
  "bil-",
  "BIL--0",
  "sub-0000",
  "-",
  "ＢＩＬ－０",
  "bil-0a",
  "bil-٠",
  "*",
);
const texts = fc.array(fc.oneof(word, mention), { maxLength: 3 }).map((some) => some.join(" "));
const plainText = fc.array(fc.constantFrom("asha", "Rent", "12"), { maxLength: 2 });
const text = fc.oneof(
  texts,
  plainText.map((some) => some.join(" ")),
);
const query = fc
  .array(fc.oneof(mention, mention, word, oddity, number.map(String)), {
    minLength: 1,
    maxLength: 3,
  })
  .chain((some) => fc.mixedCase(fc.constant(some.join(" "))));

describe("a search among numbered records", () => {
  it(
    "finds the same records as a simple model, in the same order",
    { timeout: 60_000 },
    async () => {
      const bills = await openBills(await openTestService(servers));
      const filled = fc.uniqueArray(fc.tuple(number, text), {
        selector: ([of]) => of,
        maxLength: 15,
      });
      await fc.assert(
        fc.asyncProperty(
          filled,
          fc.array(query, { minLength: 8, maxLength: 8 }),
          async (some, asked) => {
            const businessid = newId();
            // The records of another business are never found.
            const made = some.map(([of, text], second) => newBill(businessid, of, text, second));
            await fill(bills, [...made, ...some.map(([of, text]) => newBill(newId(), of, text))]);
            for (const search of asked) {
              const { entities, paging } = await bills.page(
                businessid,
                {},
                { page: 1, limit: 20, search },
              );
              const wanted = made.filter((bill) => isFound(bill, search));
              expect([search, entities]).toEqual([search, inOrder(wanted, search)]);
              expect(paging.total).toBe(wanted.length);
              const kept = made.filter((bill) => isPlain(bill));
              expect(kept.filter((bill) => isFound(bill, search))).toEqual(
                kept.filter((bill) => isFoundByWords(bill, search)),
              );
            }
          },
        ),
        { numRuns: 40, seed: 7 },
      );
    },
  );

  it("reads only the records of the page by the beginning of a number, without a sort", async () => {
    const bills = await openBills(await openTestService(servers));
    const businessid = newId();
    const made = Array.from({ length: 300 }, (_, index) =>
      newBill(businessid, index + 1, index % 100 === 0 ? "common rare" : "common"),
    );
    await fill(bills, made);
    const read = async (search: string, skip = 0) => {
      const business = new ObjectId(businessid);
      const { filter, sort } = await searchQuery(bills.collection, business, search, numbered);
      const asked = { ...filter, businessid: business };
      const found = bills.collection.find(asked).sort(sort).skip(skip).limit(5);
      const { queryPlanner, executionStats } = await found.explain("executionStats");
      const plan = JSON.stringify(queryPlanner.winningPlan);
      const index = /"indexName":"([^"]+)"/.exec(plan)?.[1];
      const { totalKeysExamined: keys, totalDocsExamined: documents } = executionStats;
      return { index, sorts: plan.includes('"SORT"'), keys, documents };
    };
    const page = { index: "number", sorts: false, keys: 5, documents: 5 };
    expect(await read("bil-0")).toEqual(page);
    expect(await read("BIL-0000 bil bil-0001")).toEqual({ ...page, keys: 0, documents: 0 });
    expect(await read("bil bil-00 BIL-0001")).toEqual(page);
    expect(await read("bil-000", 10)).toMatchObject({ index: "number", sorts: false, keys: 15 });
    expect(await read("bil")).toMatchObject({ sorts: false, keys: 5, documents: 5 });
    expect(await read("bil-000123")).toMatchObject({ index: "words", keys: 1, documents: 1 });
    expect(await read("rare bil-000")).toMatchObject({
      index: "words",
      sorts: false,
      documents: 3,
    });
    expect(await read("common bil-00030")).toMatchObject({ index: "number", documents: 1 });
  });

  it("pages through the beginning of a number, highest number first", async () => {
    const bills = await openBills(await openTestService(servers));
    const businessid = newId();
    // Numbers of one block may be saved in any order.
    const made = Array.from({ length: 25 }, (_, index) =>
      newBill(businessid, index + 1, "", -index),
    );
    await fill(bills, made);
    const found = await Promise.all(
      [1, 2, 3].map((page) => bills.page(businessid, {}, { page, limit: 10, search: "bil-0000" })),
    );
    expect(found.flatMap(({ entities }) => entities)).toEqual(made.toReversed());
    expect(found[0]?.paging).toEqual({ total: 25, page: 1, limit: 10, pages: 3 });
  });

  it("combines with other filters, and finds a record by its changed text", async () => {
    const bills = await openBills(await openTestService(servers));
    const bill = newBill(newId(), 7, "Rent");
    await fill(bills, [bill, newBill(bill.businessid, 8, "Rent")]);
    const find = async (search: string, filter = {}) => {
      const found = await bills.page(bill.businessid, filter, { page: 1, limit: 10, search });
      return found.entities.map(({ billno }) => billno);
    };
    expect(await find("bil-0", { text: "Rent", createdat: bill.createdat })).toEqual([bill.billno]);
    await bills.updateWithRetry(bill.businessid, bill.id, cause, (before) => ({
      entity: { ...before, text: "instead of BIL-000008" },
      events: [],
    }));
    expect(await find("bil-000008")).toEqual(["BIL-000008", "BIL-000007"]);
    expect(await find("BIL-00000")).toEqual(["BIL-000008", "BIL-000007"]);
    expect(await find("7 instead")).toEqual(["BIL-000007"]);
    expect(await find("rent bil-0")).toEqual(["BIL-000008"]);
  });
});
