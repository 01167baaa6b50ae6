import { execFile } from "node:child_process";
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { downloadRelease, findRelease } from "./nats-release.ts";
import { UserError } from "../terminal/user-error.ts";

const run = promisify(execFile);
const packageCommandTimeoutMs = 180_000;
/** Debian installs nats-server into a folder that is only on root's PATH. */
const systemFolders = ["/usr/sbin", "/usr/local/sbin", "/usr/local/bin", "/opt/homebrew/bin"];

const manualInstallation =
  "nats-server 2.9 or newer is needed and could not be installed here: install it (for instance " +
  "`brew install nats-server`, `apt-get install nats-server`, or https://nats.io/download) so that it is on the PATH.";

/** Returns the path of nats-server. If the machine has none, installs it into `.local/bin`, never into the system. */
export async function ensureNatsServer(
  root: string,
  report: (line: string) => void,
): Promise<string> {
  const own = join(root, ".local/bin/nats-server");
  for (const candidate of [...onPath("nats-server"), own]) {
    if (await isUsable(candidate)) return candidate;
  }
  report("Installing nats-server…");
  for (const fetchInto of [fromDebian, fromRelease]) {
    if (await install(own, fetchInto, report)) return own;
  }
  throw new UserError(manualInstallation);
}

function onPath(name: string): string[] {
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), ...systemFolders];
  return folders.map((folder) => join(folder, name)).filter(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

async function isUsable(path: string): Promise<boolean> {
  if (!isExecutable(path)) return false;
  try {
    const { stdout } = await run(path, ["--version"]);
    return isRecentEnough(stdout);
  } catch {
    return false;
  }
}

export function isRecentEnough(versionText: string): boolean {
  const [, major, minor] = /v(\d+)\.(\d+)/.exec(versionText) ?? [];
  if (major === undefined || minor === undefined) return false;
  return Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 9);
}

/** Unpacks into a temporary folder and renames the program, so that two concurrent installations are safe. */
async function install(
  own: string,
  fetchInto: (folder: string) => Promise<string | undefined>,
  report: (line: string) => void,
): Promise<boolean> {
  const bin = join(own, "..");
  mkdirSync(bin, { recursive: true });
  const folder = mkdtempSync(join(bin, "nats-"));
  try {
    const program = await fetchInto(folder);
    if (program === undefined || !(await isUsable(program))) return false;
    renameSync(program, own);
    return true;
  } catch (error) {
    report(`Could not install nats-server: ${firstLines(error)}`);
    return false;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function firstLines(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : "";
  return `${String(error)} ${cause}`.trim().split("\n").slice(0, 4).join(" ");
}

/** Unpacks Debian's package. Installing it would also start a server that listens to the whole network. */
async function fromDebian(folder: string): Promise<string | undefined> {
  if (process.getuid?.() !== 0 || !onPath("apt-get").length || !onPath("dpkg-deb").length) {
    return undefined;
  }
  const options = { cwd: folder, timeout: packageCommandTimeoutMs };
  const download = (): Promise<unknown> => run("apt-get", ["download", "nats-server"], options);
  await download().catch(async () => {
    await run("apt-get", ["update", "-q"], options);
    await download();
  });
  const archive = readdirSync(folder).find((file) => file.endsWith(".deb"));
  if (archive === undefined) return undefined;
  await run("dpkg-deb", ["-x", archive, "unpacked"], options);
  return join(folder, "unpacked/usr/sbin/nats-server");
}

async function fromRelease(folder: string): Promise<string | undefined> {
  const release = findRelease(process.platform, process.arch);
  return release === undefined ? undefined : downloadRelease(release, folder);
}
