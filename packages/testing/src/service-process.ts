import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import { freePort, createTestNatsAccess, serviceProgram, workspaceRoot } from "@malipo/local";
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
  const healthPort = await freePort();
  const entry = `services/${name}/src/main.ts`;
  const program = serviceProgram({
    name,
    entry,
    healthPort,
    env: { ...createTestNatsAccess().credentialsOf(name), ...env },
  });
  const built = join(workspaceRoot, `services/${name}/dist/main.js`);
  const control = controlledProcess(form === "build" ? { ...program, args: [built] } : program);
  return { healthUrl: `http://127.0.0.1:${healthPort}`, ...control };
}
