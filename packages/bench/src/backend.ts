import { randomBytes } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  ensureNatsServer,
  freePort,
  natsProgram,
  type Program,
  serviceProgram,
  storeProgram,
  storeUri,
  workspaceRoot,
} from "@malipo/local";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { type Db, MongoClient } from "mongodb";
import { createStreams } from "@malipo/testing/without-vitest";
import type { Part } from "./cpu.ts";
import type { Run } from "./path.ts";

export const namespace = "bench";
const readyMs = 30_000;
const pollMs = 20;

/** NATS, the store and some services, without a gateway. */
export interface Backend {
  readonly nats: NatsConnection;
  readonly database: (service: string) => Db;
  readonly parts: readonly Part[];
  readonly close: () => Promise<void>;
}

export async function startBackend(
  { processes, onProgress }: Run,
  services: readonly string[],
  ownEnv: Readonly<Record<string, string>> = {},
): Promise<Backend> {
  const folder = await processes.temporaryFolder();
  const [natsPort, storePort] = [await freePort(), await freePort()];
  const server = await ensureNatsServer(workspaceRoot, onProgress);
  const dir = join(folder, "store");
  await mkdir(dir);
  const start = async (name: string, program: Program): Promise<Part> => {
    const { command, args, env } = program;
    const { pid } = processes.start(name, { command, args, env: { ...env } });
    const until = performance.now() + readyMs;
    while (!(await program.isReady())) {
      if (performance.now() > until) throw new Error(`${name} is not ready`);
      await sleep(pollMs);
    }
    return { name, pid };
  };
  const natsUrl = `nats://127.0.0.1:${natsPort}`;
  const [nats, store] = await Promise.all([
    start(
      "nats",
      natsProgram({
        server,
        port: natsPort,
        storeDir: join(folder, "nats"),
        configFile: join(folder, "nats.conf"),
      }),
    ),
    start("store", storeProgram({ port: storePort, dir })),
  ]);
  await createStreams({ natsUrl, namespace });
  const env = {
    NATS_URL: natsUrl,
    MONGODB_URI: storeUri(storePort),
    NAMESPACE: namespace,
    LOG_LEVEL: "warn",
    ENCRYPTION_KEY: randomBytes(32).toString("base64"),
    ...ownEnv,
  };
  const started = await Promise.all(
    services.map(async (name) => {
      const entry = `services/${name}/src/main.ts`;
      return start(name, serviceProgram({ name, entry, healthPort: await freePort(), env }));
    }),
  );
  const client = await MongoClient.connect(storeUri(storePort));
  const connection = await connect({ servers: natsUrl });
  return {
    nats: connection,
    database: (service) => client.db(`${namespace}_${service}`),
    parts: [nats, store, ...started],
    close: async () => {
      await connection.close();
      await client.close();
    },
  };
}
