import type { Folder } from "./folder/folder.ts";
import { type NatsAccess, createNatsAccess } from "./nats/nats-access.ts";
import { freePorts } from "./supervisor/ports.ts";
import type { Program } from "./supervisor/program.ts";
import {
  natsProgram,
  serviceProgram,
  servicesProgram,
  simulatorProgram,
  storeProgram,
  storeUri,
} from "./programs.ts";
import type { LocalSecrets } from "./folder/secrets.ts";
import { services, type LocalAddresses } from "./services.ts";

const namespace = "malipo";

export interface Plan {
  readonly addresses: LocalAddresses;
  readonly natsOwner: NatsAccess["owner"];
  /** In the order of stopping: the gateway, the services, then nats-server, store and simulator. */
  readonly groups: readonly (readonly Program[])[];
}

export async function planPrograms(options: {
  folder: Folder;
  natsServer: string;
  apiPort: number;
  secrets: LocalSecrets;
  logLevel: string;
  /** One process for each service, instead of one for all of them. */
  isProcessPerService: boolean;
}): Promise<Plan> {
  const { folder, natsServer, apiPort, secrets, logLevel, isProcessPerService } = options;
  const ports = await freePorts(4 + services.length, apiPort);
  const nextPort = (): number => {
    const port = ports.pop();
    if (port === undefined) throw new Error("More ports are needed than were reserved.");
    return port;
  };
  const [operatorPort, natsPort, mongoPort] = [nextPort(), nextPort(), nextPort()];
  const simulatorPort = nextPort();
  const storeUser = { user: namespace, password: secrets.mongodbpassword };
  const addresses: LocalAddresses = {
    apiPort,
    operatorPort,
    operatorToken: secrets.operatortoken,
    encryptionKey: secrets.encryptionkey,
    callbackKey: secrets.callbackkey,
    natsUrl: `nats://127.0.0.1:${natsPort}`,
    mongodbUri: storeUri(mongoPort, storeUser),
    simulatorUrl: `http://127.0.0.1:${simulatorPort}`,
  };
  const access = createNatsAccess(namespace);
  const shared = {
    NATS_URL: addresses.natsUrl,
    MONGODB_URI: addresses.mongodbUri,
    NAMESPACE: namespace,
    LOG_LEVEL: logLevel,
  };
  const environments = services.map(({ name, entry, env }) => ({
    name,
    entry,
    healthPort: nextPort(),
    env: { ...shared, ...access.credentialsOf(name), ...env?.(addresses) },
  }));
  const programs = isProcessPerService
    ? environments.map(serviceProgram)
    : [servicesProgram(environments)];
  const nats = {
    server: natsServer,
    storeDir: folder.natsStore,
    configFile: folder.natsConfig,
    access,
  };
  return {
    addresses,
    natsOwner: access.owner,
    groups: [
      programs.filter(({ name }) => name === "gateway"),
      programs.filter(({ name }) => name !== "gateway"),
      [
        natsProgram({ ...nats, port: natsPort }),
        storeProgram({ port: mongoPort, dir: folder.mongoStore, user: storeUser }),
        simulatorProgram({ port: simulatorPort }),
      ],
    ],
  };
}
