import { type ContractBreak, findBreaks } from "./contract-breaks.ts";
import { buildServiceContract } from "./service-contract.ts";
import {
  readChangelogVersion,
  readSnapshot,
  readPackageVersion,
  writeSnapshot,
} from "./snapshots.ts";
import { type ServiceName, serviceNames } from "@malipo/contracts";

/** What is wrong with today's contracts, by what each service released last; nothing when all is well. */
export function findContractProblems(): readonly string[] {
  return [...allBreaks(), ...serviceNames.flatMap(releaseProblems)];
}

/** In words, and at the end the way out for what nobody can stumble over. */
function allBreaks(): readonly string[] {
  const breaks = serviceNames.flatMap(findBreaksSinceRelease).map(textOfBreak);
  if (breaks.length === 0) return [];
  return [
    ...breaks,
    "Was it never released, or does nobody use it any more?\n" +
      "  npm run contracts:snapshot -- --anyway",
  ];
}

export function findBreaksSinceRelease(service: ServiceName): readonly ContractBreak[] {
  const before = readSnapshot(service);
  return before
    ? findBreaks(before, buildServiceContract(service, readPackageVersion(service)))
    : [];
}

/** Writes what each service releases now, unless that would break what was released before. */
export function writeSnapshots(anyway: boolean): readonly string[] {
  const problems = allBreaks();
  if (problems.length > 0 && !anyway) return problems;
  for (const service of serviceNames)
    writeSnapshot(buildServiceContract(service, readPackageVersion(service)));
  return [];
}

function releaseProblems(service: ServiceName): string[] {
  const [version, snapshot] = [readPackageVersion(service), readSnapshot(service)?.version];
  const change = readChangelogVersion(service);
  return [
    ...(snapshot === version
      ? []
      : [
          `${service}: its package.json says ${version}, its snapshot ${snapshot ?? "nothing"}.\n` +
            `  With a new version comes a new snapshot: npm run contracts:snapshot`,
        ]),
    ...(change === version
      ? []
      : [
          `${service}: its package.json says ${version}, its CHANGELOG.md ${change ?? "nothing"}.\n` +
            `  Say there what the new version brings, under "## ${version}".`,
        ]),
  ];
}

function textOfBreak({ what, usedBy, advice }: ContractBreak): string {
  return `${what}\n  used by: ${usedBy.join(", ") || "nobody that we know"}\n  ${advice}`;
}
