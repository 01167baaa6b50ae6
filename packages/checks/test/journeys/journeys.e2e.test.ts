import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ServiceName } from "@malipo/contracts";
import { workspaceRoot } from "@malipo/local";
import { startSimulator, freezeClock, useSystem } from "@malipo/testing";
import { afterAll, describe, expect, it } from "vitest";
import { journeyLists } from "./journey-lists.ts";
import { clockStart, waitForEvents, journeys } from "./journeys.ts";
import { recordFunctions } from "./record-functions.ts";

const lists = journeyLists(readFileSync(join(workspaceRoot, "docs/architecture.md"), "utf8"));
const simulator = await startSimulator();
const clock = freezeClock(clockStart);
const records = recordFunctions();
const services: readonly ServiceName[] = ["invoice", "payment", "subscription", "scheduler"];
const system = useSystem(services, {
  ownProcess: ["gateway", ...services],
  env: {
    ...clock.env,
    ...records.env,
    NODE_OPTIONS: `${clock.env["NODE_OPTIONS"]} ${records.env["NODE_OPTIONS"]}`,
    MPESA_BASE_URL: simulator.url,
  },
});

/** The report of a run, for measurements: the executed files of each journey. */
const executed: Record<string, readonly string[]> = {};
afterAll(() => {
  mkdirSync(join(workspaceRoot, ".local"), { recursive: true });
  writeFileSync(join(workspaceRoot, ".local/journeys.json"), JSON.stringify(executed, null, 2));
});

describe("docs/architecture.md", () => {
  it("has a numbered list for each journey, and no other", () => {
    expect([...lists.keys()].toSorted()).toEqual(journeys.map(({ title }) => title).toSorted());
  });

  it.each([...lists])("names only files that exist under %s", (_title, paths) => {
    expect(paths.filter((path) => !existsSync(join(workspaceRoot, path)))).toEqual([]);
  });

  it.each(journeys)(
    "names only files that execute a function in the journey $title",
    async (journey) => {
      const travel = await journey.prepare(system, clock);
      await waitForEvents(system);
      const processes = system.gateway().services;
      const pids = journey.services.flatMap((name) => processes[name]?.pid() ?? []);
      const files = await records.filesDuring(pids, async () => {
        await travel();
        await waitForEvents(system);
      });
      executed[journey.title] = files;
      expect((lists.get(journey.title) ?? []).filter((path) => !files.includes(path))).toEqual([]);
    },
  );
});
