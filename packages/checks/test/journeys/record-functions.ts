import { existsSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { workspaceRoot } from "@malipo/local";
import { eventually, temporaryFolder } from "@malipo/testing";

/** The files that make up a journey: services, and the packages that they run on. */
const isCounted = (path: string): boolean =>
  /^(services\/[\w-]+|packages\/(platform|contracts|core|print))\/src\//.test(path);

export interface FunctionRecords {
  /** A process with these variables records which functions it executes. */
  readonly env: Readonly<Record<string, string>>;
  /** The production files with a function that one of the processes executed during the action. */
  filesDuring(pids: readonly number[], action: () => Promise<void>): Promise<string[]>;
}

export function recordFunctions(): FunctionRecords {
  const folder = temporaryFolder();
  const takenBy = new Map<number, number>();

  async function take(pid: number): Promise<string[]> {
    const index = takenBy.get(pid) ?? 0;
    takenBy.set(pid, index + 1);
    const file = join(folder, `${pid}-${index}.json`);
    process.kill(pid, "SIGUSR2");
    await eventually(() => existsSync(file));
    return JSON.parse(readFileSync(file, "utf8")) as string[];
  }

  return {
    env: {
      FUNCTION_RECORDS: folder,
      NODE_OPTIONS: `--import ${new URL("./function-recorder.ts", import.meta.url).href}`,
    },
    filesDuring: async (pids, action) => {
      // The first record holds everything before the action; it is thrown away.
      await Promise.all(pids.map(take));
      await action();
      const urls = (await Promise.all(pids.map(take))).flat();
      const paths = urls
        .filter((url) => url.startsWith("file:"))
        .map((url) => relative(workspaceRoot, fileURLToPath(url)));
      return [...new Set(paths)].filter(isCounted).toSorted();
    },
  };
}
