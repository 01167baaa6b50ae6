import { expect, it } from "vitest";
import { defaultDelaysMs } from "../domain/retry-schedule.ts";
import { attempt } from "./attempt.ts";

it("keeps 16 KB in JSON of an answer, whatever bytes it consists of", async () => {
  const answer = { status: 500, problem: "answered 500", response: "\u0001".repeat(16 * 1_024) };
  const deps = {
    sender: { send: async () => answer, cancelAll: () => undefined, close: async () => undefined },
    clock: () => new Date(0),
    uptimeMs: () => 0,
    delaysMs: defaultDelaysMs,
    random: () => 0.5,
    tracer: undefined,
  };
  const delivery = {
    id: "6743f1b2c9e8a45d3f0b7c21",
    endpointid: "6743f1b2c9e8a45d3f0b7c22",
    eventid: "evt_6743f1b2c9e8a45d3f0b7c23",
    type: "webhook.test",
    resourceid: "6743f1b2c9e8a45d3f0b7c22",
    sequence: 1,
    body: "{}",
    tries: 0,
    version: 1,
  };
  const { result } = await attempt(deps, { url: "http://127.0.0.1:9/", keys: [] }, delivery);
  expect(JSON.stringify(result.attempt.response)).toHaveLength(16_382);
});
