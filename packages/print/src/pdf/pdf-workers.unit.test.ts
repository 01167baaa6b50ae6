import { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import { startPdfWorkers, type PdfLimits, defaultPdfLimits } from "./pdf-workers.ts";

/** Workers of the tests' own: what they are given is the script that "makes" it. */
function workersOf(bounds: Partial<PdfLimits> = {}) {
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
    { ...defaultPdfLimits, ...bounds },
  );
  onTestFinished(() => workers.close());
  return { make: async (script: string) => workers.render(script), started };
}

const answer = "parentPort.postMessage(Uint8Array.of(7))";
const hang = "while (true);";

describe("PDF workers", () => {
  it("go on with the worker they have", async () => {
    const { make, started } = workersOf();
    for (let count = 0; count < 5; count += 1) {
      expect(await make(answer)).toEqual({ ok: true, value: Uint8Array.of(7) });
    }
    expect(started).toHaveLength(1);
  });

  it("are two at once, and who is too late in the queue is told to come again", async () => {
    const { make, started } = workersOf({ waitingMax: 3 });
    const slow = `setTimeout(() => ${answer}, 100)`;
    const all = await Promise.all(Array.from({ length: 7 }, async () => make(slow)));
    expect(started).toHaveLength(2);
    expect(all.map(({ ok }) => ok)).toEqual([true, true, true, true, true, false, false]);
    expect(all.at(-1)).toMatchObject({
      error: { code: "service_unavailable", retryAfterSeconds: 2 },
    });
  });

  it("give up what takes too long, and what waited too long for it, and go on", async () => {
    const { make } = workersOf({ workers: 1, timeoutMs: 2_000 });
    const [hung, waited] = await Promise.all([make(hang), make(answer)]);
    expect(hung).toMatchObject({ ok: false, error: { code: "service_unavailable" } });
    expect(waited).toMatchObject({ ok: false, error: { code: "service_unavailable" } });
    expect(await make(answer)).toMatchObject({ ok: true });
  });

  it.each([
    ["throws", "throw new Error('bad ink')"],
    ["rejects", "Promise.reject(new Error('bad ink'))"],
  ])("survive a worker that %s", async (_name, script) => {
    const { make } = workersOf({ timeoutMs: 30_000 });
    expect(await make(script)).toMatchObject({ ok: false, error: { code: "internal_error" } });
    expect(await make(answer)).toMatchObject({ ok: true });
  });
});
