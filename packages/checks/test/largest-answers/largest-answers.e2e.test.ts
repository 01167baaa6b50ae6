import { type Route, routes } from "@malipo/contracts";
import { allServices, eventually, startSimulator, useSystem } from "@malipo/testing";
import { beforeAll, describe, expect, it } from "vitest";
import type { Paths } from "./copies.ts";
import { createLargestRecords } from "./largest-records.ts";

const simulator = await startSimulator();
const system = useSystem(allServices, { env: { MPESA_BASE_URL: simulator.url } });
const reads = (Object.entries(routes) as [keyof typeof routes, Route][]).filter(
  ([, { method, creates }]) => method === "GET" && !creates,
);

let paths: Paths;
beforeAll(async () => {
  ({ paths } = await createLargestRecords(system));
});

describe("a page of the largest records that creation allows", () => {
  it.each(reads)("fits into the answer of %s", async (name, { audience }) => {
    const path = paths[name];
    if (path === undefined) throw new Error(`largest-records.ts makes no records for ${name}`);
    const ask = audience === "operator" ? system.operator : system.api;
    const { status, text } = await eventually(async () => {
      const answer = await ask("GET", path);
      // A PDF that takes too long on a busy machine is to be asked for again.
      expect(answer.status).not.toBe(503);
      return answer;
    }, 30_000);
    expect([status, status === 200 ? "" : text]).toEqual([200, ""]);
  });
});
