import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import type { ServiceProcess } from "./service-process.ts";

const mebibyte = 1024 * 1024;

/** The memory limit of a service's pod, from the manifests of `deploy/`. */
function podMemoryMax(name: ServiceName): number {
  const own = limitIn(`deploy/k8s/base/${name}/settings.yaml`);
  const max = own ?? limitIn("deploy/k8s/service/deployment.yaml");
  if (max === undefined) throw new Error(`no manifest limits the memory of ${name}`);
  return max;
}

function limitIn(manifest: string): number | undefined {
  const path = join(workspaceRoot, manifest);
  if (!existsSync(path)) return undefined;
  const found = /limits: \{[^}]*memory: (\d+)Mi/.exec(readFileSync(path, "utf8"))?.[1];
  return found === undefined ? undefined : Number(found) * mebibyte;
}

/** Gives Node the heap that it gives itself in the service's pod: half of the memory. */
export function podEnvironment(name: ServiceName): Record<string, string> {
  const heapMb = Math.floor(podMemoryMax(name) / 2 / mebibyte);
  return { NODE_OPTIONS: `--max-old-space-size=${heapMb}` };
}

/** The services whose process once had more memory than their pod, in words. */
export function overPodMemory(services: Readonly<Record<string, ServiceProcess>>): string[] {
  return Object.entries(services).flatMap(([name, service]) => {
    const max = podMemoryMax(name as ServiceName);
    const peak = peakMemoryOf(service);
    if (peak <= max) return [];
    return `${name}: ${Math.round(peak / mebibyte)} of ${max / mebibyte} MiB`;
  });
}

/** The most resident memory that the process had since its start. */
function peakMemoryOf(service: ServiceProcess): number {
  const status = readFileSync(`/proc/${service.pid()}/status`, "utf8");
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
