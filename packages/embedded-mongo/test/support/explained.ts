import type { Collection, Document } from "mongodb";

export type Doc = { _id: number; [field: string]: unknown };

type Explained = {
  index: string | undefined;
  keys: number;
  docs: number;
  returned: number;
  sorts: boolean;
};

/** Explains a query: the index it used and the keys and documents it read. */
export async function explainedIn(
  collection: Collection<Doc>,
  filter: Document,
  sort?: Document,
  limit = 0,
): Promise<Explained> {
  let cursor = collection.find(filter).limit(limit);
  if (sort !== undefined) cursor = cursor.sort(sort);
  const answer = await cursor.explain("executionStats");
  const text = JSON.stringify(answer["queryPlanner"].winningPlan);
  return {
    index: /"indexName":"([^"]+)"/.exec(text)?.[1],
    keys: answer["executionStats"].totalKeysExamined,
    docs: answer["executionStats"].totalDocsExamined,
    returned: answer["executionStats"].nReturned,
    sorts: text.includes('"SORT"'),
  };
}
