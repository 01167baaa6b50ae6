import type { EventHandler } from "@malipo/platform";
import type { Deps } from "../deps.ts";
import { fanOut } from "../fan-out.ts";
import { announceDue } from "../worker/worker.ts";

export const handle =
  (deps: Deps): EventHandler<"*"> =>
  async (events) => {
    const { service } = deps;
    await fanOut(deps, events, service.clock(), (due) => announceDue(service, due));
    return [];
  };
