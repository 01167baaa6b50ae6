import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Folder } from "./folder.ts";
import { natsConfig } from "./nats-config.ts";
import { freePorts } from "./ports.ts";
import type { Program } from "./program.ts";
import { answersReady, listens } from "./readiness.ts";
import { services, type LocalAddresses, type Service } from "./services.ts";

export interface Plan {
  readonly addresses: LocalAddresses;
  /** In the order they are stopped: the edge, the services, what they stand on. */
  readonly groups: readonly (readonly Program[])[];
}

export interface PlanOptions {
  readonly root: string;
  readonly folder: Folder;
  readonly natsServer: string;
  readonly apiPort: number;
  readonly operatorToken: string;
  readonly logLevel: string;
}

export async function planPrograms(options: PlanOptions): Promise<Plan> {
  const present = services.filter(({ entry }) => existsSync(join(options.root, entry)));
  const [operatorPort, natsPort, mongoPort, ...healthPorts] = await freePorts(3 + present.length);
  if (operatorPort === undefined || natsPort === undefined || mongoPort === undefined) {
    throw new Error("No free ports.");
  }
  const addresses: LocalAddresses = {
    apiPort: options.apiPort,
    operatorPort,
    operatorToken: options.operatorToken,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    mongodbUri: `mongodb://127.0.0.1:${mongoPort}/?directConnection=true`,
  };
  const programs = present.map((service, index) => ({
    edge: service.name === "gateway",
    program: serviceProgram(service, healthPorts[index] ?? 0, addresses, options),
  }));
  return {
    addresses,
    groups: [
      programs.filter(({ edge }) => edge).map(({ program }) => program),
      programs.filter(({ edge }) => !edge).map(({ program }) => program),
      [natsProgram(natsPort, options), storeProgram(mongoPort, options)],
    ],
  };
}

function serviceProgram(
  service: Service,
  healthPort: number,
  addresses: LocalAddresses,
  { root, logLevel }: PlanOptions,
): Program {
  return {
    name: service.name,
    command: process.execPath,
    args: ["--conditions=@malipo/source", join(root, service.entry)],
    env: {
      NATS_URL: addresses.natsUrl,
      MONGODB_URI: addresses.mongodbUri,
      NAMESPACE: "malipo",
      LOG_LEVEL: logLevel,
      HEALTH_PORT: String(healthPort),
      HEALTH_HOST: "127.0.0.1",
      ...service.env?.(addresses),
    },
    isReady: answersReady(healthPort),
  };
}

function natsProgram(port: number, { folder, natsServer }: PlanOptions): Program {
  writeFileSync(folder.natsConfig, natsConfig({ port, storeDir: folder.natsStore }));
  return {
    name: "nats-server",
    command: natsServer,
    args: ["--config", folder.natsConfig],
    env: {},
    isReady: listens(port),
  };
}

function storeProgram(port: number, { root, folder }: PlanOptions): Program {
  return {
    name: "embedded-mongo",
    command: process.execPath,
    args: [
      "--conditions=@malipo/source",
      join(root, "packages/embedded-mongo/src/main.ts"),
      "--port",
      String(port),
      "--dir",
      folder.mongoStore,
    ],
    env: {},
    isReady: listens(port),
  };
}
