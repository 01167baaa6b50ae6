import { type ServiceName, serviceNames } from "@malipo/contracts";
import { type ContractBreak, findBreaks } from "./contract-breaks.ts";
import { buildServiceContract } from "./service-contract.ts";
import {
  readChangelogVersion,
  readSnapshot,
  readPackageVersion,
  writeSnapshot,
} from "./snapshots.ts";

/** Compares today's contracts with each service's last release. The list is empty if all is well. */
export function findContractProblems(): readonly string[] {
  return [...describeBreaks(), ...serviceNames.flatMap(findReleaseProblems)];
}

/** All breaks as texts. The last text says how to record a break that affects no user. */
function describeBreaks(): readonly string[] {
  const breaks = serviceNames.flatMap(findBreaksSinceRelease).map(describeBreak);
  if (breaks.length === 0) return [];
  return [
    ...breaks,
    "Was it never released, or does no service use it any more?\n" +
      "  npm run contracts:snapshot -- --anyway",
  ];
}

export function findBreaksSinceRelease(service: ServiceName): readonly ContractBreak[] {
  const before = readSnapshot(service);
  return before
    ? findBreaks(before, buildServiceContract(service, readPackageVersion(service)))
    : [];
}

/** Writes the snapshot of each service's contract, unless it breaks the previous one. */
export function writeSnapshots(allowsBreaks: boolean): readonly string[] {
  const problems = describeBreaks();
  if (problems.length > 0 && !allowsBreaks) return problems;
  for (const service of serviceNames)
    writeSnapshot(buildServiceContract(service, readPackageVersion(service)));
  return [];
}

function findReleaseProblems(service: ServiceName): string[] {
  const [version, snapshot] = [readPackageVersion(service), readSnapshot(service)?.version];
  const change = readChangelogVersion(service);
  return [
    ...(snapshot === version
      ? []
      : [
          `${service}: its package.json says ${version}, its snapshot ${snapshot ?? "nothing"}.\n` +
            `  A new version needs a new snapshot: npm run contracts:snapshot`,
        ]),
    ...(change === version
      ? []
      : [
          `${service}: its package.json says ${version}, its CHANGELOG.md ${change ?? "nothing"}.\n` +
            `  Describe the new version there, under "## ${version}".`,
        ]),
  ];
}

function describeBreak({ what, usedBy, advice }: ContractBreak): string {
  return `${what}\n  used by: ${usedBy.join(", ") || "no known service"}\n  ${advice}`;
}
