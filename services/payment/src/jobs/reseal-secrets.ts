import { setTimeout as sleep } from "node:timers/promises";
import { minuteMs } from "@malipo/core";
import {
  type Cipher,
  ensureIndexes,
  gaugeOnScrape,
  cacheLookup,
  type Service,
} from "@malipo/platform";
import type { AnyBulkWriteOperation, Collection, Filter } from "mongodb";
import { openSealed, seal, type SealedDocument } from "../store/sealed.ts";

const batchMax = 100;
/** During a rotation, a process with the old configuration may still seal with the older key. */
const pauseMs = 10 * minuteMs;

/**
 * Seals secrets again with the newest key, at the start and every ten minutes. When no secret is left
 * that an older key sealed, the older keys can be removed.
 */
export async function startResealing(
  service: Service,
  cipher: Cipher,
  collections: readonly Collection<SealedDocument>[],
): Promise<void> {
  const { signal } = service.shutdown;
  for (const collection of collections) {
    await ensureIndexes(service, collection, [{ key: { keyid: 1 } }]);
  }
  measureOlderSeals(service, cipher, collections);
  const ended = (async () => {
    while (!signal.aborted) {
      for (const collection of collections) {
        await resealCollection(service, cipher, collection).catch((error: unknown) => {
          service.log.warn({ err: error }, "resealing failed; will retry");
        });
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => {});
    }
  })();
  service.shutdown.on("work", () => ended);
}

/** Reseals one collection once. Several processes may do this at once, and each may be killed. */
export async function resealCollection(
  { log, shutdown }: Pick<Service, "log" | "shutdown">,
  cipher: Cipher,
  collection: Collection<SealedDocument>,
): Promise<void> {
  const older = sealedWithOlderKey(cipher);
  const left = await collection.countDocuments(older);
  if (left === 0) return;
  const { collectionName } = collection;
  const fields = { collection: collectionName, key: cipher.newestKey };
  log.info({ ...fields, left }, "resealing started");
  let batch: SealedDocument[] = [];
  const sealBatch = async () => {
    const writes = batch.flatMap((each) => resealed(log, cipher, each));
    batch = [];
    if (writes.length > 0) await collection.bulkWrite(writes, { ordered: false });
  };
  for await (const document of collection.find(older).batchSize(batchMax)) {
    if (shutdown.signal.aborted) return;
    if (batch.push(document) === batchMax) await sealBatch();
  }
  await sealBatch();
  log.info({ ...fields, left: await collection.countDocuments(older) }, "resealing finished");
}

/** No write for a secret that no key opens. It stays as it is, and the others are resealed. */
function resealed(
  log: Service["log"],
  cipher: Cipher,
  { _id, sealed }: SealedDocument,
): AnyBulkWriteOperation<SealedDocument>[] {
  const recordid = String(_id);
  const secret = sealed && openSealed(cipher, sealed, recordid);
  if (!secret) {
    log.error({ recordid }, "secret sealed with an unknown key");
    return [];
  }
  // If another process has replaced the secret since, this write must not match.
  const filter = { _id, sealed };
  return [{ updateOne: { filter, update: { $set: seal(cipher, secret, recordid) } } }];
}

function sealedWithOlderKey({ newestKey }: Cipher): Filter<SealedDocument> {
  return { sealed: { $exists: true }, keyid: { $ne: newestKey } };
}

/** Counted when metrics are scraped. */
function measureOlderSeals(
  { metrics: { exported } }: Pick<Service, "metrics">,
  cipher: Cipher,
  collections: readonly Collection<SealedDocument>[],
): void {
  const count = async () => {
    const each = collections.map(async (one) => one.countDocuments(sealedWithOlderKey(cipher)));
    return (await Promise.all(each)).reduce((sum, left) => sum + left, 0);
  };
  const countRecently = cacheLookup(count);
  gaugeOnScrape(
    exported,
    {
      name: "malipo_sealed_with_older_keys",
      help: "How many secrets older keys have sealed: at 0 those keys can be taken away",
    },
    async () => [[{}, await countRecently()]],
  );
}
