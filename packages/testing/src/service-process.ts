import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import { freePort, createTestNatsAccess, serviceProgram, workspaceRoot } from "@malipo/local";
import { controlledProcess, type ControlledProcess } from "./controlled-process.ts";

export interface ServiceProcess extends ControlledProcess {
  readonly healthUrl: string;
}

/** Sources through Node's type stripping, or what `npm run build` has made of them. */
export type ServiceForm = "sources" | "build";

/** A service as it runs in production, ready when this resolves; its health port and its user of NATS are added to the environment. */
export async function startService(
  name: ServiceName,
  env: Readonly<Record<string, string>>,
  form: ServiceForm = "sources",
): Promise<ServiceProcess> {
  const service = await prepareService(name, env, form);
  await service.start();
  return service;
}

/** The same, but not started: for a test of how it starts. */
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
