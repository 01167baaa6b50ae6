import { addMs } from "@malipo/core";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import type { Step } from "./pipeline.ts";
import { runSteps } from "./run-steps.ts";

const now = new Date("2026-11-21T08:00:00Z");

async function answerAfter(steps: readonly Step[], timeoutMs = 5_000) {
  const app = fastify();
  app.addHook("onRequest", (request, _reply, done) => {
    request.deadline = addMs(now, timeoutMs);
    done();
  });
  app.addHook(
    "onRequest",
    runSteps(steps, () => now),
  );
  app.get("/", async () => "handled");
  const answer = await app.inject("/");
  return { status: answer.statusCode, text: answer.body };
}

/** Steps that record their names when they run. */
function recordingSteps() {
  const ran: string[] = [];
  const pass =
    (name: string): Step =>
    () => {
      ran.push(name);
      return undefined;
    };
  const waitAndPass =
    (name: string): Step =>
    async (...given) =>
      pass(name)(...given);
  const answer =
    (name: string): Step =>
    (_request, reply) => {
      ran.push(name);
      reply.code(429).send("refused");
      return "answered";
    };
  return { ran, pass, waitAndPass, answer };
}

it("runs all steps in order, with and without waiting", async () => {
  const { ran, pass, waitAndPass } = recordingSteps();
  const steps = [pass("a"), waitAndPass("b"), pass("c"), waitAndPass("d")];
  expect(await answerAfter(steps)).toEqual({ status: 200, text: "handled" });
  expect(ran).toEqual(["a", "b", "c", "d"]);
});

it("stops at the step that answers, before and after a step that waits", async () => {
  for (const first of ["pass", "waitAndPass"] as const) {
    const { ran, answer, ...steps } = recordingSteps();
    const answered = await answerAfter([steps[first]("a"), answer("b"), steps.pass("c")]);
    expect(answered).toEqual({ status: 429, text: "refused" });
    expect(ran).toEqual(["a", "b"]);
  }
});

it("answers 503 at the deadline and runs no later step", async () => {
  const { ran, pass } = recordingSteps();
  const slow = Promise.withResolvers<undefined>();
  const answered = await answerAfter([() => slow.promise, pass("later")], 20);
  expect(answered.status).toBe(503);
  slow.resolve(undefined);
  await slow.promise;
  expect(ran).toEqual([]);
});

const throwing: Step = () => {
  throw new Error("a bug");
};

it("answers 500 when a step throws or rejects", async () => {
  const rejecting: Step = async (...given) => throwing(...given);
  expect((await answerAfter([throwing])).status).toBe(500);
  expect((await answerAfter([rejecting])).status).toBe(500);
  expect((await answerAfter([recordingSteps().waitAndPass("before"), throwing])).status).toBe(500);
});
