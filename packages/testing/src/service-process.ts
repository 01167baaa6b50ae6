import { freePort, serviceProgram } from "@malipo/local";
import { controlledProcess, type ControlledProcess } from "./controlled-process.ts";

export interface ServiceProcess extends ControlledProcess {
  readonly healthUrl: string;
}

/** A service as it runs in production, ready when this resolves; its health port is added to the environment. */
export async function startService(
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const healthPort = await freePort();
  const entry = `services/${name}/src/main.ts`;
  const control = controlledProcess(serviceProgram({ name, entry, healthPort, env }));
  await control.start();
  return { healthUrl: `http://127.0.0.1:${healthPort}`, ...control };
}
