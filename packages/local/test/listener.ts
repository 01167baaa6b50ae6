import type { Program } from "../src/supervisor/program.ts";
import { probePort } from "../src/supervisor/readiness.ts";

/** A program that listens on a port and either obeys or ignores SIGTERM. */
export function listener(name: string, port: number, onSigterm: "exits" | "ignores it"): Program {
  const ignore = onSigterm === "ignores it" ? `process.on("SIGTERM", () => {});` : "";
  const script = `${ignore} require("node:net").createServer().listen(${port}, "127.0.0.1")`;
  return {
    name,
    command: process.execPath,
    args: ["-e", script],
    env: {},
    isReady: probePort(port),
  };
}
