import { eventsInMessage } from "@malipo/contracts";
import type { JsMsg } from "@nats-io/jetstream";

/** Only a handler that ends its process gets this far without ever refusing. */
const deliveriesMax = 100;

/** A message in hand. What it tells may be worked off in several batches. */
export interface Parcel {
  readonly message: JsMsg;
  readonly size: number;
}

/** One of the things that a message tells. */
export interface Part<Item> {
  readonly parcel: Parcel;
  readonly index: number;
  /** As it stands in the message. */
  readonly told: unknown;
  /** Or what is wrong with it. */
  readonly item: Item | string;
}

/** Takes one thing as it was told; the item, or what is wrong with it. */
export type Read<Item> = (told: unknown) => Item | string;

/** A message tells one thing, or a list of them; in what cannot be read, the whole is one part. */
export function partsOf<Item>(message: JsMsg, read: Read<Item>): readonly Part<Item>[] {
  const all = contentOf(message);
  if (typeof all === "string") {
    return [{ parcel: { message, size: 1 }, index: 0, told: undefined, item: all }];
  }
  const parcel = { message, size: all.length };
  return all.map((told, index) => ({ parcel, index, told, item: readSafely(told, read) }));
}

function contentOf(message: JsMsg): readonly unknown[] | string {
  if (message.info.deliveryCount > deliveriesMax) {
    return `delivered ${deliveriesMax} times without an outcome`;
  }
  try {
    const all = eventsInMessage<unknown>(message.json());
    return all.length > 0 ? all : "unreadable: an empty list";
  } catch {
    // The parser's own words would quote the message, and it may hold a customer's data.
    return "unreadable: not JSON";
  }
}

function readSafely<Item>(told: unknown, read: Read<Item>): Item | string {
  try {
    return read(told);
  } catch (error) {
    return `unreadable: ${String(error)}`;
  }
}

export function wholeIdOf(message: JsMsg): string {
  return message.headers?.get("Nats-Msg-Id") ?? "";
}

/** Under which id the thing was told: alone it has the message's, in a list its own. */
export function idOf({ parcel, index, told }: Part<unknown>): string {
  const whole = wholeIdOf(parcel.message);
  if (parcel.size === 1) return whole;
  const { id } = Object(told) as { id?: unknown };
  return typeof id === "string" ? id : `${whole}:${index}`;
}

/** The messages that a batch has parts of. */
export function messagesOf(parts: readonly Part<unknown>[]): readonly JsMsg[] {
  return [...new Set(parts.map(({ parcel }) => parcel.message))];
}
