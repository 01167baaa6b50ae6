import type { SharedServers } from "@malipo/testing";
import fc from "fast-check";
import { command } from "./invoice-commands.ts";
import { endWorld, openWorld, runCommand } from "./invoice-world.ts";
import { openInvoiceService } from "./test-service.ts";

/** Random lives of a customer's invoices, each in a business of its own. */
export async function runModel(
  servers: SharedServers,
  parameters: { readonly numRuns: number; readonly seed?: number },
  commandsMax: number,
): Promise<void> {
  const clock = { now: Date.parse("2026-11-01T08:00:00Z") };
  const deps = await openInvoiceService(servers, () => new Date(clock.now));
  const commands = fc.array(command, { minLength: 5, maxLength: commandsMax, size: "max" });
  await fc.assert(
    fc.asyncProperty(commands, async (commands) => {
      const world = await openWorld(deps, clock);
      for (const each of commands) await runCommand(world, each);
      await endWorld(world);
    }),
    parameters,
  );
}
