import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPdfWorkers, type PdfLimits, defaultPdfLimits } from "./pdf-workers.ts";

/** Workers for tests: the "document" they render is a script that they evaluate. */
function workersOf(limits: Partial<PdfLimits> = {}) {
  const started: Worker[] = [];
  const workers = startPdfWorkers<string>(
    () => {
      const script = `
      const { parentPort } = require("node:worker_threads");
      parentPort.on("message", (script) => eval(script));`;
      const worker = new Worker(script, { eval: true });
      started.push(worker);
      return worker;
    },
    { ...defaultPdfLimits, ...limits },
  );
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

  it("run two at once and answer 503 with Retry-After when the queue is full", async () => {
    const { render, started } = workersOf({ waitingMax: 3 });
    const slow = `setTimeout(() => ${answer}, 100)`;
    const all = await Promise.all(Array.from({ length: 7 }, async () => render(slow)));
    expect(started).toHaveLength(2);
    expect(all.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, false]);
    expect(all.at(-1)).toMatchObject({
      error: { code: "service_unavailable", retryAfterSeconds: 2 },
    });
  });

  it("time out a job that runs or waits too long, and continue with the next", async () => {
    const { render } = workersOf({ workers: 1, timeoutMs: 2_000 });
    const [hung, waited] = await Promise.all([render(hang), render(answer)]);
    expect(hung).toMatchObject({ ok: false, error: { code: "service_unavailable" } });
    expect(waited).toMatchObject({ ok: false, error: { code: "service_unavailable" } });
    expect(await render(answer)).toMatchObject({ ok: true });
  });

  it.each([
    ["throws", "throw new Error('bad ink')"],
    ["rejects", "Promise.reject(new Error('bad ink'))"],
  ])("replace a worker that %s", async (_name, script) => {
    const { render } = workersOf({ timeoutMs: 30_000 });
    expect(await render(script)).toMatchObject({ ok: false, error: { code: "internal_error" } });
    expect(await render(answer)).toMatchObject({ ok: true });
  });
});
