import { type ApiAnswer, dataOf, type UsedSystem } from "@malipo/testing";
import type { routes } from "@malipo/contracts";
import { type Document, ObjectId } from "mongodb";

export const pageSize = 100;

/** Three bytes a character, in UTF-8 as in JSON. */
export const wide = (length: number) => "ኢ".repeat(length);
/** Six bytes a character in HTML. */
export const quotes = (length: number) => '"'.repeat(length);

/** Addresses of routes by name. */
export type Paths = { readonly [Name in keyof typeof routes]?: string };

/** The data of a successful answer. */
export async function created(answer: Promise<ApiAnswer>): Promise<Record<string, unknown>> {
  const { status, text } = await answer;
  if (status !== 200 && status !== 201) throw new Error(text.slice(0, 1_000));
  return dataOf(await answer);
}

/** Fills a page with copies of a document. `fieldsOf` gives the fields that must be unique. */
export async function copy(
  system: UsedSystem,
  place: readonly [service: string, collection: string],
  id: unknown,
  { change = {}, fieldsOf = () => ({}), count = pageSize }: CopyOptions = {},
): Promise<void> {
  const [service, name] = place;
  const collection = system.database(service).collection(name);
  const _id = new ObjectId(String(id));
  await collection.updateOne({ _id }, { $set: change });
  const found = await collection.findOne({ _id });
  if (!found) throw new Error(`${name} has no ${String(id)}`);
  const { createdby: _createdby, ...fields } = found;
  const { items = [] } = fields as { readonly items?: readonly unknown[] };
  const copies = Array.from({ length: count - 1 }, (_, index) => ({
    ...fields,
    // Enough that a list that shows them is too large.
    ...(items.length > 0 && { items: items.slice(0, 20) }),
    _id: new ObjectId(),
    ...fieldsOf(index),
  }));
  await collection.insertMany(copies);
}

interface CopyOptions {
  readonly change?: Document;
  readonly fieldsOf?: (index: number) => Document;
  readonly count?: number;
}
