import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

export type ChildServer = {
  readonly uri: string;
  readonly port: number;
  /** Ends it as a power cut would; resolves when it is gone. */
  kill(): Promise<void>;
};

/** A server in a process of its own. */
export async function childServer(dir: string, more: readonly string[] = []): Promise<ChildServer> {
  const child = spawn(
    process.execPath,
    ["--conditions=@malipo/source", main, "--port", "0", "--dir", dir, ...more],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
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
