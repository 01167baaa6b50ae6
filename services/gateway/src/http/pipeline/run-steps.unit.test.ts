import { addMs } from "@malipo/core";
import { fastify } from "fastify";
import { expect, it } from "vitest";
import type { Step } from "./pipeline.ts";
import { takeSteps } from "./run-steps.ts";

const now = new Date("2026-11-21T08:00:00Z");

async function answerAfter(steps: readonly Step[], patienceMs = 5_000) {
  const app = fastify();
  app.addHook("onRequest", (request, _reply, done) => {
    request.deadline = addMs(now, patienceMs);
    done();
  });
  app.addHook(
    "onRequest",
    takeSteps(steps, () => now),
  );
  app.get("/", async () => "let through");
  const answer = await app.inject("/");
  return { status: answer.statusCode, text: answer.body };
}

function tracing() {
  const taken: string[] = [];
  const goOn =
    (name: string): Step =>
    () => {
      taken.push(name);
      return undefined;
    };
  const wait =
    (name: string): Step =>
    async (...given) =>
      goOn(name)(...given);
  const answer =
    (name: string): Step =>
    (_request, reply) => {
      taken.push(name);
      reply.code(429).send("refused");
      return "answered";
    };
  return { taken, goOn, wait, answer };
}

it("takes all steps in order, whether they wait or not", async () => {
  const { taken, goOn, wait } = tracing();
  const steps = [goOn("a"), wait("b"), goOn("c"), wait("d")];
  expect(await answerAfter(steps)).toEqual({ status: 200, text: "let through" });
  expect(taken).toEqual(["a", "b", "c", "d"]);
});

it("ends with the step that answers, before one has waited and after", async () => {
  for (const before of ["goOn", "wait"] as const) {
    const { taken, goOn, answer, ...others } = tracing();
    const first = { goOn, ...others }[before]("a");
    const answered = await answerAfter([first, answer("b"), goOn("c")]);
    expect(answered).toEqual({ status: 429, text: "refused" });
    expect(taken).toEqual(["a", "b"]);
  }
});

it("waits for a step no longer than the caller does, and takes none after it", async () => {
  const { taken, goOn } = tracing();
  const slow = Promise.withResolvers<undefined>();
  const answered = await answerAfter([() => slow.promise, goOn("later")], 20);
  expect(answered.status).toBe(503);
  slow.resolve(undefined);
  await slow.promise;
  expect(taken).toEqual([]);
});

const throwing: Step = () => {
  throw new Error("a bug");
};

it("reports what a step throws, at once or later", async () => {
  const rejecting: Step = async (...given) => throwing(...given);
  expect((await answerAfter([throwing])).status).toBe(500);
  expect((await answerAfter([rejecting])).status).toBe(500);
  expect((await answerAfter([tracing().wait("before"), throwing])).status).toBe(500);
});
