import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { ServiceName } from "@malipo/contracts";
import type { ServiceContract } from "./service-contract.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const pathOf = (service: ServiceName) => `${root}packages/contract-tools/snapshots/${service}.json`;

/** The contract of a service's last release; undefined before its first. */
export function readSnapshot(service: ServiceName): ServiceContract | undefined {
  const path = pathOf(service);
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as ServiceContract) : undefined;
}

export function writeSnapshot(contract: ServiceContract): void {
  writeFileSync(pathOf(contract.service), `${JSON.stringify(contract, null, 2)}\n`);
}

/** The version in the service's package.json. */
export function readPackageVersion(service: ServiceName): string {
  const text = readFileSync(`${root}services/${service}/package.json`, "utf8");
  return (JSON.parse(text) as { readonly version: string }).version;
}

/** The newest version in the service's CHANGELOG.md. */
export function readChangelogVersion(service: ServiceName): string | undefined {
  const path = `${root}services/${service}/CHANGELOG.md`;
  if (!existsSync(path)) return undefined;
  return /^## (\d+\.\d+\.\d+)\b/m.exec(readFileSync(path, "utf8"))?.[1];
}
