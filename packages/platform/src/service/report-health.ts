import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { consumerNameOf, consumersOf, type ServiceHealth } from "@malipo/contracts";
import { clockSkew } from "@malipo/core";
import { describeError } from "../logging/index.ts";
import { missingIndexes } from "../mongo/index.ts";
import { consumerStates } from "../nats/index.ts";
import { withTimeout } from "../timing/index.ts";
import type { Service } from "./service.ts";

const timeoutMs = 1_500;

/** Variables that must be equal in all services that set them, or that a live system should set. */
const reportedSettingNames = [
  "MODE",
  "PUBLIC_URL",
  "STREAM_REPLICAS",
  "CALLBACK_ADDRESSES",
] as const;
/** Secrets that must be equal too: only a fingerprint of them is reported. */
const reportedSecretNames = ["CALLBACK_KEY"] as const;

/** The health of this process. It also answers while the store or NATS do not. */
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
    settings: reportedSettings(service.config),
  };
}

async function versionIn(manifest: URL): Promise<string> {
  const { version } = JSON.parse(await readFile(manifest, "utf8")) as { version: string };
  return version;
}

async function storeHealth({ store: { db }, clock }: Service): Promise<ServiceHealth["store"]> {
  try {
    const sentAt = clock();
    const hello = await withTimeout(db.command({ hello: 1 }), timeoutMs);
    const storeTime: unknown = hello["localTime"];
    const skewms = storeTime instanceof Date ? clockSkew(storeTime, sentAt, clock()) : 0;
    const lookups = Promise.all([db.command({ buildInfo: 1 }), missingIndexes(db)]);
    const [build, missingindexes] = await withTimeout(lookups, timeoutMs);
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
  const states = await withTimeout(consumerStates(consumers), timeoutMs).catch(() => new Map());
  // A consumer in order runs in one replica only, maybe another one.
  const expected = consumersOf(service).filter(({ isOrdered }) => isOrdered !== true);
  const names = new Set([...expected.map(consumerNameOf), ...consumers.keys()]);
  return [...names].map((name) => {
    const info = states.get(name);
    return {
      name,
      pending: info?.num_pending ?? null,
      redelivered: info?.num_redelivered ?? null,
    };
  });
}

export function reportedSettings(
  config: Readonly<Record<string, unknown>>,
): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const name of reportedSettingNames) {
    const value = config[name];
    const text = Array.isArray(value) ? value.join(",") : value;
    if (typeof text === "string" || typeof text === "number") settings[name] = String(text);
  }
  for (const name of reportedSecretNames) {
    if (config[name] !== undefined) settings[name] = fingerprint(config[name]);
  }
  return settings;
}

function fingerprint(secret: unknown): string {
  return createHash("sha256").update(JSON.stringify(secret)).digest("hex").slice(0, 16);
}
