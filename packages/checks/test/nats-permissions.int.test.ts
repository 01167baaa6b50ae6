import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as endOfTurn } from "node:timers/promises";
import { promisify } from "node:util";
import {
  deadSubject,
  eventSubject,
  inboxPrefix,
  natsUserName,
  operationsOf,
  rpcSubject,
  type ServiceName,
  serviceNames,
  signalSubject,
  streamName,
} from "@malipo/contracts";
import {
  ensureNatsServer,
  freePort,
  createNatsAccess,
  natsProgram,
  workspaceRoot,
} from "@malipo/local";
import { ensureStreams } from "@malipo/platform";
import { AckPolicy, jetstreamManager } from "@nats-io/jetstream";
import { connect, type NatsConnection } from "@nats-io/transport-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { controlledProcess, temporaryFolder } from "@malipo/testing";

const namespace = "live";
const access = createNatsAccess(namespace);
const event = streamName(namespace, "event");
let url: string;
let nats: ReturnType<typeof controlledProcess>;

beforeAll(async () => {
  const folder = temporaryFolder();
  const port = await freePort();
  url = `nats://127.0.0.1:${port}`;
  nats = controlledProcess(
    natsProgram({
      server: await ensureNatsServer(workspaceRoot, () => undefined),
      port,
      storeDir: join(folder, "store"),
      configFile: join(folder, "nats.conf"),
      access,
    }),
  );
  await nats.start();
  const keeper = await connectAs("gateway");
  await ensureStreams(keeper, namespace, 1);
});
afterAll(() => nats.stop());

interface User {
  readonly user: string;
  readonly pass: string;
  readonly inboxPrefix: string;
}

function userOf(service: ServiceName): User {
  const { NATS_USER, NATS_PASSWORD } = access.credentialsOf(service);
  return { user: NATS_USER, pass: NATS_PASSWORD, inboxPrefix: inboxPrefix(namespace, service) };
}

async function connectAs(service: ServiceName): Promise<NatsConnection> {
  const connection = await connect({ servers: url, ...userOf(service) });
  const close = () => connection.close();
  try {
    onTestFinished(close);
  } catch {
    afterAll(close);
  }
  return connection;
}

/** Resolves to the server's permission error, or undefined when the server permits the attempt. */
async function permissionErrorOf(
  connection: NatsConnection,
  attempt: () => void,
): Promise<string | undefined> {
  const errors: string[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === "error") errors.push(status.error.message);
    }
  })();
  attempt();
  await connection.flush();
  // The server's error comes before its answer to the flush, and is handled by the end of this turn.
  await endOfTurn();
  return errors[0];
}

const publishError = async (service: ServiceName, subject: string) => {
  const connection = await connectAs(service);
  return permissionErrorOf(connection, () => connection.publish(subject, "{}"));
};

const subscribeError = async (service: ServiceName, subject: string, queue?: string) => {
  const connection = await connectAs(service);
  return permissionErrorOf(connection, () => {
    connection.subscribe(subject, { ...(queue && { queue }), callback: () => undefined });
  });
};

describe("the NATS configuration", () => {
  it("is accepted by nats-server, as `nats-users` prints it for production", async () => {
    const main = join(workspaceRoot, "packages/contract-tools/src/main.ts");
    const node = ["--conditions=@malipo/source", main, "nats-users", "malipo-live"];
    const { stdout } = await promisify(execFile)(process.execPath, node);
    const file = join(temporaryFolder(), "nats.conf");
    writeFileSync(file, stdout);
    const server = await ensureNatsServer(workspaceRoot, () => undefined);
    const env = { ...access.env, NATS_PASSWORD_SYS: "p1" };
    const check = promisify(execFile)(server, ["-t", "-c", file], { env });
    expect((await check).stderr).toContain("configuration file");
    // Every password must be set.
    await expect(promisify(execFile)(server, ["-t", "-c", file])).rejects.toThrow(
      /NATS_PASSWORD_GATEWAY/,
    );
  });

  it("refuses connections without a password, or with the password of another user", async () => {
    await expect(connect({ servers: url })).rejects.toThrow(/authorization/i);
    const { pass } = userOf("webhook");
    const user = natsUserName(namespace, "gateway");
    await expect(connect({ servers: url, user, pass })).rejects.toThrow(/authorization/i);
  });
});

describe("a service on NATS", () => {
  const event = (type: string) => eventSubject(namespace, type);
  const rpc = (service: ServiceName, verb: string) => rpcSubject(namespace, { service, verb });

  it.each([
    ["invoice", event("invoice.created")],
    ["payment", event("payment.completed")],
    ["subscription", rpc("payment", "prompt-payment")],
    ["scheduler", rpc("invoice", "work-off-overdue")],
    ["gateway", rpc("invoice", "create-invoice")],
    ["webhook", signalSubject(namespace, "deliveries")],
    ["payment", `${inboxPrefix(namespace, "gateway")}.answer.1`],
  ] as const)("%s may publish %s", async (service, subject) => {
    expect(await publishError(service, subject)).toBeUndefined();
  });

  it.each([
    ["webhook", event("payment.completed")],
    ["invoice", event("payment.completed")],
    ["payment", event("invoice.paid")],
    ["webhook", rpc("payment", "prompt-payment")],
    ["invoice", rpc("payment", "prompt-payment")],
    ["gateway", rpc("payment", "prompt-payment")],
    ["invoice", deadSubject(namespace, "payment-on-business")],
    ["webhook", signalSubject(namespace, "credentials")],
    ["payment", `${inboxPrefix(namespace, "webhook")}.answer.1`],
    ["payment", "another.event.payment.completed"],
    ["invoice", `$JS.API.STREAM.DELETE.${streamName(namespace, "event")}`],
    ["invoice", `$JS.API.STREAM.CREATE.${streamName(namespace, "event")}`],
    ["webhook", `$JS.API.CONSUMER.MSG.NEXT.${streamName(namespace, "event")}.invoice-on-payment`],
    ["payment", `$JS.API.CONSUMER.MSG.NEXT.${streamName(namespace, "event")}.invoice-on-payment`],
    ["payment", `$JS.ACK.${streamName(namespace, "event")}.invoice-on-payment.1.1.1.1.1`],
  ] as const)("%s may not publish %s", async (service, subject) => {
    expect(await publishError(service, subject)).toBe(
      `Permissions Violation for Publish to "${subject}"`,
    );
  });

  it.each(serviceNames)(
    "%s may subscribe to its own subjects in its own queue group",
    async (service) => {
      for (const operation of Object.values(operationsOf(service))) {
        expect(
          await subscribeError(service, rpcSubject(namespace, operation), service),
        ).toBeUndefined();
      }
    },
  );

  it.each([
    ["webhook", rpc("payment", "prompt-payment"), "payment"],
    ["webhook", rpc("payment", "prompt-payment"), "webhook"],
    // Without its queue group it would receive the requests of all other instances too.
    ["payment", rpc("payment", "prompt-payment"), undefined],
    ["payment", `${namespace}.rpc.>`, "payment"],
    ["payment", `${inboxPrefix(namespace, "gateway")}.>`, undefined],
    ["payment", "_INBOX.>", undefined],
    ["webhook", event("*"), undefined],
    ["webhook", `${namespace}.live.*`, undefined],
    ["gateway", ">", undefined],
  ] as const)("%s may not subscribe to %s in queue group %s", async (service, subject, queue) => {
    expect(await subscribeError(service, subject, queue)).toMatch(
      /^Permissions Violation for Subscription/,
    );
  });

  it("may create only its own consumer of the stream, with its own filter", async () => {
    const manager = await jetstreamManager(await connectAs("payment"));
    const consumer = {
      durable_name: "payment-on-invoice",
      filter_subject: eventSubject(namespace, "invoice.*"),
      ack_policy: AckPolicy.Explicit,
    };
    await manager.consumers.add(streamName(namespace, "event"), consumer);
    const refused = [
      { ...consumer, filter_subject: eventSubject(namespace, "*") },
      { ...consumer, durable_name: "invoice-on-invoice" },
    ];
    for (const other of refused) {
      await expect(manager.consumers.add(streamName(namespace, "event"), other)).rejects.toThrow(
        /Permissions Violation for Publish/,
      );
    }
  });
});

describe("the NATS user of operators", () => {
  const ops = { user: `${namespace}-ops`, inboxPrefix: `_INBOX.${namespace}.ops` };

  it("may read stream information, and may not publish events", async () => {
    const pass = access.env["NATS_PASSWORD_OPS"] ?? "";
    const connection = await connect({ servers: url, pass, ...ops });
    onTestFinished(() => connection.close());
    const manager = await jetstreamManager(connection);
    expect((await manager.streams.info(event)).config.name).toBe(event);
    const subject = eventSubject(namespace, "payment.completed");
    expect(await permissionErrorOf(connection, () => connection.publish(subject, "{}"))).toMatch(
      /Publish/,
    );
  });
});
