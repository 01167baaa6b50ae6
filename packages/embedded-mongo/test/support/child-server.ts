import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export type ChildServer = {
  readonly uri: string;
  readonly port: number;
  /** Ends it as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
};

const shortLogMain = fileURLToPath(new URL("./short-log-server.ts", import.meta.url));

/** A server in a process of its own. */
export function childServer(dir: string, more: readonly string[] = []): Promise<ChildServer> {
  return started(process.execPath, [...nodeArguments(main, dir), ...more]);
}

/** One whose SQLite commits every few groups. */
export function shortLogServer(dir: string): Promise<ChildServer> {
  return started(process.execPath, nodeArguments(shortLogMain, dir));
}

/** One that meets a full disk when a file of its has so many kibibytes. */
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
