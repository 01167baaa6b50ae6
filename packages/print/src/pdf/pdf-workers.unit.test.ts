import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPdfWorkers } from "./pdf-workers.ts";

/** Workers for tests: the "document" they render is a script that they evaluate. */
function workersOf(timeoutMs?: number) {
  const started: Worker[] = [];
  const workers = startPdfWorkers<string>(() => {
    const script = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", (script) => eval(script));`;
    const worker = new Worker(script, { eval: true });
    started.push(worker);
    return worker;
  }, timeoutMs);
  onTestFinished(() => workers.close());
  return { render: async (script: string) => workers.render(script), started };
}

const answer = "parentPort.postMessage(Uint8Array.of(7))";
const hang = "while (true);";

describe("PDF workers", () => {
  it("reuse an idle worker", async () => {
    const { render, started } = workersOf();
    for (let count = 0; count < 5; count += 1) {
      expect(await render(answer)).toEqual({ ok: true, value: Uint8Array.of(7) });
    }
    expect(started).toHaveLength(1);
  });

  it("time out a job that runs too long, and continue with the next", async () => {
    const { render } = workersOf(2_000);
    expect(await render(hang)).toMatchObject({
      ok: false,
      error: { code: "service_unavailable", retryAfterSeconds: 2 },
    });
    expect(await render(answer)).toMatchObject({ ok: true });
  });

  it.each([
    ["throws", "throw new Error('bad ink')"],
    ["rejects", "Promise.reject(new Error('bad ink'))"],
  ])("replace a worker that %s", async (_name, script) => {
    const { render } = workersOf(30_000);
    expect(await render(script)).toMatchObject({ ok: false, error: { code: "internal_error" } });
    expect(await render(answer)).toMatchObject({ ok: true });
  });
});
