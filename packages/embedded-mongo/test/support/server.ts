import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import type { MongoClientOptions } from "mongodb";
import { startEmbeddedMongo } from "../../src/index.ts";
import type { EmbeddedMongo, ServerOptions } from "../../src/index.ts";

export type TestServer = {
  readonly dir: string;
  readonly server: EmbeddedMongo;
  readonly client: MongoClient;
  /** Errors that the server reported to `onError`. */
  readonly errors: readonly unknown[];
  /** Stops the server. Throws if it reported an error, because no client request may cause one. */
  stop(): Promise<void>;
};

/** A server on a fresh folder and a client with the driver's default options. */
export async function testServer(
  options: Partial<ServerOptions> = {},
  clientOptions: MongoClientOptions = {},
): Promise<TestServer> {
  const dir = options.dir ?? (await mkdtemp(join(tmpdir(), "embedded-mongo-")));
  const errors: unknown[] = [];
  const server = await startEmbeddedMongo({
    onError: (error) => errors.push(error),
    ...options,
    dir,
  });
  const client = await MongoClient.connect(server.uri, clientOptions);
  return {
    dir,
    server,
    client,
    errors,
    stop: async () => {
      await client.close();
      await server.close();
      if (options.dir === undefined) await rm(dir, { recursive: true, force: true });
      if (errors.length > 0)
        throw new AggregateError(errors, "the server reported internal errors");
    },
  };
}
