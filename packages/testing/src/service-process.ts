import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import {
  createTestNatsAccess,
  freePort,
  serviceProgram,
  servicesProgram,
  workspaceRoot,
} from "@malipo/local";
import { controlledProcess, type ControlledProcess } from "./controlled-process.ts";

export interface ServiceProcess extends ControlledProcess {
  readonly healthUrl: string;
}

/** Run the sources through Node's type stripping, or the output of `npm run build`. */
export type ServiceForm = "sources" | "build";

/**
 * Starts a service as a process, as in production; resolves when it is ready. The health port and the
 * NATS user are added to its environment.
 */
export async function startService(
  name: ServiceName,
  env: Readonly<Record<string, string>>,
  form: ServiceForm = "sources",
): Promise<ServiceProcess> {
  const service = await prepareService(name, env, form);
  await service.start();
  return service;
}

/** Like startService, but without starting the process: for a test of the start itself. */
export async function prepareService(
  name: ServiceName,
  env: Readonly<Record<string, string>>,
  form: ServiceForm = "sources",
): Promise<ServiceProcess> {
  const service = await describeService(name, env);
  const program = serviceProgram(service);
  const built = join(workspaceRoot, `services/${name}/dist/main.js`);
  const control = controlledProcess(form === "build" ? { ...program, args: [built] } : program);
  return { healthUrl: healthUrlOf(service), ...control };
}

/**
 * Starts several services in one process; each has its own environment, NATS user and health port.
 * `processEnv` is the environment of the process itself, for variables that Node or a library reads.
 */
export async function startServices(
  environments: ReadonlyMap<ServiceName, Readonly<Record<string, string>>>,
  processEnv: Readonly<Record<string, string>>,
): Promise<SharedProcess> {
  const described = await Promise.all(
    [...environments].map(async ([name, env]) => describeService(name, env)),
  );
  const control = controlledProcess(servicesProgram(described, processEnv));
  await control.start();
  const services = described.map((service): [ServiceName, ServiceProcess] => [
    service.name,
    { healthUrl: healthUrlOf(service), ...control, ...refuseControl(service.name) },
  ]);
  return { stop: async () => control.stop(), services: new Map(services) };
}

interface SharedProcess extends Pick<ControlledProcess, "stop"> {
  /** `log()` and `pid()` are those of the process. The other controls throw. */
  readonly services: ReadonlyMap<ServiceName, ServiceProcess>;
}

/** A signal to the process would reach all its services, not only the one that the test names. */
function refuseControl(name: ServiceName) {
  const refuse = (): never => {
    throw new Error(`${name} shares its process with other services: list it in "ownProcess".`);
  };
  return { start: refuse, stop: refuse, kill: refuse, pause: refuse, resume: refuse };
}

async function describeService(name: ServiceName, env: Readonly<Record<string, string>>) {
  return {
    name,
    entry: `services/${name}/src/main.ts`,
    healthPort: await freePort(),
    env: { ...createTestNatsAccess().credentialsOf(name), ...env },
  };
}

function healthUrlOf({ healthPort }: { readonly healthPort: number }): string {
  return `http://127.0.0.1:${healthPort}`;
}
