import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { parse } from "yaml";

interface Container {
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources?: { readonly limits: { readonly memory: string } };
}

interface Deployment {
  readonly spec: {
    readonly template: { readonly spec: { readonly containers: readonly [Container] } };
  };
}

/** The memory that a service's pod has, in MiB, and the options that Node gets there. */
export function podMemoryOf(service: ServiceName) {
  // A service's own settings replace those of all services.
  const containers = [`base/${service}/settings.yaml`, "service/deployment.yaml"].map(containerIn);
  const limits = containers.map((container) => container?.resources?.limits.memory);
  const options = containers.map((container) => optionsIn(container));
  return {
    limitMb: Number(/^(\d+)Mi$/.exec(String(limits.find(Boolean)))?.[1]),
    nodeOptions: String(options.find(Boolean)),
  };
}

function optionsIn(container: Container | undefined): string | undefined {
  return container?.env?.find(({ name }) => name === "NODE_OPTIONS")?.value;
}

function containerIn(path: string): Container | undefined {
  const file = join(workspaceRoot, "deploy/k8s", path);
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file, "utf8");
  return (parse(text) as Deployment).spec.template.spec.containers[0];
}
