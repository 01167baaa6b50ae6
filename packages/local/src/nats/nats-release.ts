import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

const version = "2.10.5";
const officialReleases = "https://github.com/nats-io/nats-server/releases/download";
const downloadTimeoutMs = 120_000;

/** SHA-256 of the official archives of that version. */
const checksums: Readonly<Record<string, string>> = {
  "linux-amd64": "33e9796344fcde53d1d9ab5fc3e2393d1f558aec53f5ea51f769827602a20225",
  "linux-arm64": "de560b8863ddceac5d765b1f99d4b8f0becf8488890253beafffb7cb730f1aa8",
  "darwin-amd64": "84b78ff3ede22bb3373c2296c9eb304fa17b2eda42d23f54d7637defd1870c26",
  "darwin-arm64": "73953cdea638ee982ab0d2ae310b6c59e73e7b9685ade491b5a3d6c65fc42497",
};

export interface Release {
  readonly url: string;
  readonly sha256: string;
  /** The path of the program inside the archive. */
  readonly program: string;
}

/** Returns undefined if there is no release for this platform. */
export function findRelease(platform: string, architecture: string): Release | undefined {
  const target = `${platform}-${architecture === "x64" ? "amd64" : architecture}`;
  const sha256 = checksums[target];
  if (sha256 === undefined) return undefined;
  const name = `nats-server-v${version}-${target}`;
  return {
    url: `${officialReleases}/v${version}/${name}.tar.gz`,
    sha256,
    program: `${name}/nats-server`,
  };
}

/** Downloads and unpacks into `folder`. Writes nothing if the checksum differs. Returns the program's path. */
export async function downloadRelease(release: Release, folder: string): Promise<string> {
  const response = await fetch(release.url, { signal: AbortSignal.timeout(downloadTimeoutMs) });
  if (!response.ok) throw new Error(`${release.url} answered ${response.status}.`);
  const archive = Buffer.from(await response.arrayBuffer());
  const actual = createHash("sha256").update(archive).digest("hex");
  if (actual !== release.sha256) {
    throw new Error(`${release.url} has the checksum ${actual}, not ${release.sha256}.`);
  }
  const path = join(folder, "release.tar.gz");
  writeFileSync(path, archive);
  await promisify(execFile)("tar", ["-xzf", path, "-C", folder]);
  return join(folder, release.program);
}
