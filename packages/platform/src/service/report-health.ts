import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { consumerNameOf, consumersOf, type ServiceHealth } from "@malipo/contracts";
import { clockSkew } from "@malipo/core";
import { describeError } from "../logging/describe-error.ts";
import { missingIndexes } from "../mongo/ensure-indexes.ts";
import { inTime } from "../timing/with-timeout.ts";
import type { Service } from "./service.ts";
import { consumerStates } from "../nats/nats-metrics.ts";

const patienceMs = 1_500;

/** What has to be alike wherever it is set at all. */
const shared = ["MODE", "PUBLIC_URL", "STREAM_REPLICAS"] as const;
/** The same of what nobody may see: only whether it is the same one. */
const sharedSecrets = ["CALLBACK_KEY"] as const;

/** What this process knows of itself, also while its store or the server do not answer. */
export async function reportHealth(service: Service, manifest: URL): Promise<ServiceHealth> {
  const { clock, wire, metrics } = service;
  const [store, consumers, version] = await Promise.all([
    storeHealth(service),
    consumerHealth(service),
    versionIn(manifest),
  ]);
  return {
    version,
    node: process.version,
    at: clock().toISOString(),
    store,
    nats: { version: wire.nats.info?.version ?? "", denied: [...wire.denied()] },
    consumers,
    outboxseconds: metrics.unpublishedOldestSeconds.value,
    settings: sharedSettings(service.config),
  };
}

async function versionIn(manifest: URL): Promise<string> {
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  return version;
}

async function storeHealth({ store: { db }, clock }: Service): Promise<ServiceHealth["store"]> {
  try {
    const asked = clock();
    const told: unknown = (await inTime(db.command({ hello: 1 }), patienceMs))["localTime"];
    const skewms = told instanceof Date ? clockSkew(told, asked, clock()) : 0;
    const look = Promise.all([db.command({ buildInfo: 1 }), missingIndexes(db)]);
    const [build, missingindexes] = await inTime(look, patienceMs);
    return {
      problem: null,
      version: String(build["version"]),
      skewms,
      missingindexes,
    };
  } catch (error) {
    const problem = describeError(error).message;
    return { problem, version: null, skewms: 0, missingindexes: [] };
  }
}

async function consumerHealth({
  name: service,
  consumers,
}: Service): Promise<ServiceHealth["consumers"]> {
  const states = await inTime(consumerStates(consumers), patienceMs).catch(() => new Map());
  // Of those that one process at a time has, another replica may be the one.
  const wanted = consumersOf(service).filter(({ inOrder }) => inOrder !== true);
  const names = new Set([...wanted.map(consumerNameOf), ...consumers.keys()]);
  return [...names].map((name) => {
    const info = states.get(name);
    return {
      name,
      pending: info?.num_pending ?? null,
      redelivered: info?.num_redelivered ?? null,
    };
  });
}

function sharedSettings(config: Readonly<Record<string, unknown>>): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of shared) {
    const value = config[name];
    if (typeof value === "string" || typeof value === "number") settings[name] = String(value);
  }
  for (const name of sharedSecrets) {
    if (config[name] !== undefined) settings[name] = fingerprint(config[name]);
  }
  return settings;
}

function fingerprint(secret: unknown): string {
  return createHash("sha256").update(JSON.stringify(secret)).digest("hex").slice(0, 16);
}
