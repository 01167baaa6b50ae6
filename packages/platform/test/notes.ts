import type { NewEvent } from "@malipo/contracts";
import type { Cause } from "../src/outbox/event-document.ts";
import { newId } from "../src/mongo/index.ts";
import { newestFirstIndex, openRecords, type Records } from "../src/records/index.ts";
import type { Service } from "../src/service/service.ts";

/** The smallest record there is, for tests. */
export interface Note {
  readonly id: string;
  readonly businessid: string;
  readonly text: string;
  readonly createdat: Date;
}

export function openNotes(service: Service): Promise<Records<Note>> {
  return openRecords<Note>(
    service,
    "notes",
    [newestFirstIndex],
    (ids, fields) => ({ ...ids, text: fields["text"], createdat: fields["createdat"] }),
    ({ text }) => ({ texts: [text] }),
  );
}

export const cause: Cause = { now: new Date("2026-11-21T08:00:00Z") };

export function newNote(businessid: string, text = "hello"): Note {
  return { id: newId(), businessid, text, createdat: cause.now };
}

/** Events have the types of the contract; a note borrows a product's. */
export function eventOf({ id, text }: Note): NewEvent {
  const at = cause.now.toISOString();
  const data = { _id: id, title: text, price: 1, description: null, createdat: at, updatedat: at };
  return { type: "product.created", data };
}

/** An event as it stands in a message. */
export function envelopeOf(title: string) {
  const { data } = eventOf(newNote(newId(), title));
  const record = { seq: 1, businessid: newId(), recordid: newId() };
  const at = new Date().toISOString();
  return { id: `evt_${newId()}`, type: "product.created", ...record, at, data };
}
