import { setTimeout as sleep } from "node:timers/promises";
import { minuteMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  gaugeOnScrape,
  recently,
  type Service,
} from "@malipo/platform";
import type { AnyBulkWriteOperation, Collection, Filter } from "mongodb";
import { openSealed, seal, type SealedDocument } from "../store/sealed.ts";

const batchMax = 100;
/** A process that still has an older key first may go on sealing with it for a while. */
const againMs = 10 * minuteMs;

/**
 * Seals with the newest key what older ones have sealed, from the start on for as long as the service
 * runs. When nothing is left, the older keys can be taken away.
 */
export async function startSealingAnew(
  service: Service,
  cipher: Cipher,
  collections: readonly Collection<SealedDocument>[],
): Promise<void> {
  const { signal } = service.shutdown;
  for (const collection of collections) {
    await ensureIndexes(service, collection, [{ key: { keyid: 1 } }]);
  }
  measure(service, cipher, collections);
  const ended = (async () => {
    while (!signal.aborted) {
      for (const collection of collections) {
        await sealAnew(service, cipher, collection).catch((error: unknown) => {
          service.log.warn({ err: error }, "sealing anew goes on later");
        });
      }
      await sleep(againMs, undefined, { signal }).catch(() => {});
    }
  })();
  service.shutdown.on("work", () => ended);
}

/** Goes through all of them once. Any number of processes may, and each may end in the middle. */
export async function sealAnew(
  { log, shutdown }: Pick<Service, "log" | "shutdown">,
  cipher: Cipher,
  collection: Collection<SealedDocument>,
): Promise<void> {
  const older = sealedByOlder(cipher);
  const left = await collection.countDocuments(older);
  if (left === 0) return;
  const { collectionName } = collection;
  const line = { collection: collectionName, key: cipher.newestKey };
  log.info({ ...line, left }, "sealing anew");
  let batch: SealedDocument[] = [];
  const sealBatch = async () => {
    const writes = batch.flatMap((each) => sealedAnew(log, cipher, each));
    batch = [];
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
  };
  for await (const document of collection.find(older).batchSize(batchMax)) {
    if (shutdown.signal.aborted) return;
    if (batch.push(document) === batchMax) await sealBatch();
  }
  await sealBatch();
  log.info({ ...line, left: await collection.countDocuments(older) }, "sealed anew");
}

/** Nothing for what cannot be opened: it stands in nobody's way. */
function sealedAnew(
  log: Service["log"],
  cipher: Cipher,
  { _id, sealed }: SealedDocument,
): AnyBulkWriteOperation<SealedDocument>[] {
  const recordid = String(_id);
  const text = sealed && openSealed(cipher, sealed, recordid);
  if (!text) {
    log.error({ recordid }, "sealed with a key that is not here");
    return [];
  }
  // What another process has kept meanwhile is newer than what was read.
  const filter = { _id, sealed };
  return [{ updateOne: { filter, update: { $set: seal(cipher, text, recordid) } } }];
}

function sealedByOlder({ newestKey }: Cipher): Filter<SealedDocument> {
  return { sealed: { $exists: true }, keyid: { $ne: newestKey } };
}

/** Looked up when somebody asks. */
function measure(
  { metrics: { exported } }: Pick<Service, "metrics">,
  cipher: Cipher,
  collections: readonly Collection<SealedDocument>[],
): void {
  const count = async () => {
    const each = collections.map(async (one) => one.countDocuments(sealedByOlder(cipher)));
    return (await Promise.all(each)).reduce((sum, left) => sum + left, 0);
  };
  const look = recently(count);
  gaugeOnScrape(
    exported,
    {
      name: "malipo_sealed_with_older_keys",
      help: "How many secrets older keys have sealed: at 0 those keys can be taken away",
    },
    async () => [[{}, await look()]],
  );
}
