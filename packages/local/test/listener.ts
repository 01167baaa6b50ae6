import type { Program } from "../src/supervisor/program.ts";
import { probePort } from "../src/supervisor/readiness.ts";

/** A program that listens, and lets a SIGTERM end it or not. */
export function listener(name: string, port: number, heeds: "SIGTERM" | "nothing"): Program {
  const deaf = heeds === "nothing" ? `process.on("SIGTERM", () => {});` : "";
  const script = `${deaf} require("node:net").createServer().listen(${port}, "127.0.0.1")`;
  return {
    name,
    command: process.execPath,
    args: ["-e", script],
    env: {},
    isReady: probePort(port),
  };
}
