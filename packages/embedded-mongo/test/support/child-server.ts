import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export type ChildServer = {
  readonly uri: string;
  readonly port: number;
  /** Sends SIGKILL. Resolves when the process has ended. */
  kill(): Promise<void>;
};

const shortLogMain = fileURLToPath(new URL("./short-log-server.ts", import.meta.url));

/** Starts a server in a child process. */
export function childServer(dir: string, more: readonly string[] = []): Promise<ChildServer> {
  return started(process.execPath, [...nodeArguments(main, dir), ...more]);
}

/** Starts a server whose SQLite commits every few groups. */
export function shortLogServer(dir: string): Promise<ChildServer> {
  return started(process.execPath, nodeArguments(shortLogMain, dir));
}

/** Starts a server whose files cannot grow beyond `kibibytes`, as on a full disk. */
export function confinedServer(dir: string, kibibytes: number): Promise<ChildServer> {
  const limited = `ulimit -f ${kibibytes} && exec "$0" "$@"`;
  return started("bash", ["-c", limited, process.execPath, ...nodeArguments(main, dir)]);
}

function nodeArguments(program: string, dir: string): string[] {
  return ["--conditions=@malipo/source", program, "--port", "0", "--dir", dir];
}

async function started(command: string, args: readonly string[]): Promise<ChildServer> {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "inherit"] });
  const gone = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const uri = await new Promise<string>((resolve, reject) => {
    let printed = "";
    child.stdout.on("data", (chunk: Buffer) => {
      printed += chunk.toString();
      const found = /listening on (\S+)/.exec(printed);
      if (found?.[1] !== undefined) resolve(found[1]);
    });
    void gone.then(() => reject(new Error(`the server ended: ${printed}`)));
  });
  return {
    uri,
    port: Number(new URL(uri).port),
    kill: () => {
      child.kill("SIGKILL");
      return gone;
    },
  };
}
