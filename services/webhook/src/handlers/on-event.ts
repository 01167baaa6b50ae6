import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { fanOut } from "../fan-out.ts";
import { announceDue } from "../worker/worker.ts";

export const handle =
  (deps: Deps): EventHandler<"*"> =>
  async (events) => {
    announceDue(deps.service, await fanOut(deps, events, deps.service.clock()));
    return [];
  };
