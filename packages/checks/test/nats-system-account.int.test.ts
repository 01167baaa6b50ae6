import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { formatSystemAccount } from "@malipo/contract-tools";
import {
  createNatsAccess,
  ensureNatsServer,
  freePort,
  natsProgram,
  workspaceRoot,
} from "@malipo/local";
import { controlledProcess, temporaryFolder } from "@malipo/testing";
import { jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection, PermissionViolationError } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

const namespace = "live";
const server = await ensureNatsServer(workspaceRoot, () => undefined);
const [, minor] = /v2\.(\d+)/.exec((await promisify(execFile)(server, ["--version"])).stdout) ?? [];
const request = "$SYS.REQ.SERVER.PING.JSZ";

// nats-server before 2.10 must not have this account (see formatSystemAccount), and refuses the production
// configuration for another reason (deploy/test/nats.int.test.ts).
describe.skipIf(Number(minor) < 10)("NATS with the system account, from 2.10 on", () => {
  const access = createNatsAccess(namespace);
  const password = "a-password-of-the-system-account";
  let nats: ReturnType<typeof controlledProcess>;
  let url: string;

  beforeAll(async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    url = `nats://127.0.0.1:${port}`;
    nats = controlledProcess(
      natsProgram({
        server,
        port,
        storeDir: join(folder, "store"),
        configFile: join(folder, "nats.conf"),
        access: {
          ...access,
          config: access.config + formatSystemAccount(namespace),
          env: { ...access.env, NATS_PASSWORD_SYS: password },
        },
      }),
    );
    await nats.start();
  });
  afterAll(async () => nats.stop());

  async function connectAs(user: "ops" | "sys", pass: string): Promise<NatsConnection> {
    const connection = await connect({
      servers: url,
      user: `${namespace}-${user}`,
      pass,
      ...(user === "ops" && { inboxPrefix: `_INBOX.${namespace}.ops` }),
    });
    onTestFinished(async () => connection.close());
    return connection;
  }

  it("lets its user ask the servers for their state, and use no stream", async () => {
    const connection = await connectAs("sys", password);
    const reply = await connection.request(request, "{}");
    expect(reply.json()).toMatchObject({ data: { streams: 0 } });
    await expect(jetstreamManager(connection)).rejects.toThrow(/not enabled for account/);
  });

  it("lets operators use streams, and not ask the servers", async () => {
    const connection = await connectAs("ops", access.env["NATS_PASSWORD_OPS"] ?? "");
    const manager = await jetstreamManager(connection);
    expect(await manager.getAccountInfo()).toMatchObject({ streams: 0 });
    await expect(connection.request(request, "{}")).rejects.toMatchObject({
      cause: expect.any(PermissionViolationError),
    });
  });

  it("refuses connections without a password", async () => {
    await expect(connect({ servers: url })).rejects.toThrow(/authorization/i);
  });
});
