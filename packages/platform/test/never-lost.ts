import { setTimeout as sleep } from "node:timers/promises";
import { faultyLink, inOwnNamespace, randomFrom, type SharedServers } from "@malipo/testing";
import { onTestFinished } from "vitest";
import { newId } from "../src/mongo/index.ts";
import { type Service, sweepEvents } from "../src/service/service.ts";
import { cause, eventOf, newNote, type Note, openNotes } from "./notes.ts";
import { readStream } from "./stream-reader.ts";
import { openTestService } from "./test-service.ts";
import { countUnpublishedRecords } from "../src/outbox/index.ts";

/**
 * Two replicas write the same notes in every way that records offer, while their connections break at
 * moments drawn from the seed. In the end all events in the notes must be on the stream, and a
 * watermark or a mark must say that they are published.
 */
export async function writeWhileItBreaks(shared: SharedServers, seed: number, steps: number) {
  const random = randomFrom(seed);
  const servers = inOwnNamespace(shared);
  const reader = await openTestService(servers);
  const replicas = [await openFragile(servers), await openFragile(servers)];
  const businessid = newId();
  const known: Note[] = [];
  const underWay: Promise<unknown>[] = [];
  const one = () => known[random(known.length)] ?? newNote(businessid);

  for (let step = 0; step < steps; step += 1) {
    const replica = replicas[random(replicas.length)];
    if (!replica) throw new Error("there are two");
    const write = writes[random(writes.length)];
    const made = [newNote(businessid), newNote(businessid)];
    // A write that fails may have happened or not; the stored notes show which.
    const written = write?.(replica.notes, made, [one(), one(), one()]).catch(() => {});
    underWay.push(Promise.resolve(written));
    known.push(...made);
    faults[random(4 * faults.length)]?.(replica);
    if (random(6) === 0) await sleep(random(60));
  }
  for (const { nats } of replicas) nats.refuse(false);
  await Promise.all(underWay);
  return reader;
}

/** The saved events that are not on the stream, and the number of notes that count as unpublished. */
export async function findUnpublished(reader: Service) {
  const published = new Set((await readStream(reader)).map(({ id }) => id));
  const documents = await reader.store.db.collection("notes").find().toArray();
  const saved = documents.flatMap(({ events }) => events as readonly { readonly id: string }[]);
  return {
    saved: saved.length,
    missing: saved.map(({ id }) => id).filter((id) => !published.has(id)),
    unpublished: await countUnpublishedRecords(reader.store.db, "notes"),
  };
}

type Notes = Awaited<ReturnType<typeof openNotes>>;
type Write = (notes: Notes, made: readonly Note[], known: readonly Note[]) => Promise<unknown>;

const withEvent = (entity: Note) => ({ entity, events: [eventOf(entity)] });

const updateFirst: Write = async (notes, _made, [note]) =>
  note && notes.updateWithRetry(note.businessid, note.id, cause, withEvent);

const writes: readonly Write[] = [
  async (notes, [note]) => note && notes.insert(note, [eventOf(note)], cause),
  async (notes, made, [known]) =>
    notes.insertMany(
      [...made, ...(known ? [known] : [])].map((note) => ({ ...withEvent(note), cause })),
    ),
  updateFirst,
  updateFirst,
  async (notes, _made, known) => {
    const found = await Promise.all(known.map(({ businessid, id }) => notes.find(businessid, id)));
    const there = found.filter((before) => before !== null);
    return notes.saveMany(
      there.map((before) => ({ before, change: withEvent(before.entity), cause })),
    );
  },
];

type Fragile = Awaited<ReturnType<typeof openFragile>>;

const faults: readonly ((replica: Fragile) => void)[] = [
  ({ store }) => store.cut(),
  ({ nats }) => nats.refuse(true),
  ({ nats }) => nats.refuse(false),
];

async function openFragile({ natsUrl, mongodbUri, namespace }: SharedServers) {
  const [nats, store] = [await linkTo(natsUrl), await linkTo(mongodbUri)];
  const service = await openTestService({
    natsUrl: nats.url,
    // Otherwise the driver follows the address that the store announces, past the link.
    mongodbUri: `${store.url.replace(/\?.*$/, "")}?directConnection=true`,
    namespace,
  });
  const notes = await openNotes(service);
  sweepEvents(service, [notes.collection]);
  return { notes, nats: nats.link, store: store.link };
}

async function linkTo(url: string) {
  const { port } = new URL(url);
  const link = await faultyLink({ port: Number(port) });
  onTestFinished(async () => link.close());
  return { link, url: url.replace(`:${port}`, `:${link.port}`) };
}
