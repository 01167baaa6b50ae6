import type { SharedServers } from "@malipo/testing";
import fc from "fast-check";
import { type Command, command } from "./invoice-commands.ts";
import { endWorld, openWorld, runCommand } from "./invoice-world.ts";
import { openInvoiceService } from "./test-service.ts";

const create: Command = { kind: "create", amount: 50, days: 3 };

/** What chance rarely comes upon. */
const lives: readonly Command[][] = [
  // A draft that asks for money because some has come, while its customer has credit.
  [
    create,
    create,
    { kind: "patch", pick: 1, status: "draft", discount: undefined, days: undefined },
    { kind: "pay", pick: 0, amount: 80 },
    { kind: "deliver", pick: 0, again: false },
    { kind: "pay", pick: 1, amount: 10 },
    { kind: "deliver", pick: 0, again: false },
  ],
  // Overdue with a part payment, set to what a later due date alone would have made of it.
  [
    { ...create, days: 0 },
    { kind: "pay", pick: 0, amount: 10 },
    { kind: "days pass", days: 1 },
    { kind: "deliver", pick: 0, again: false },
    { kind: "patch", pick: 0, status: "partially_paid", discount: undefined, days: 1 },
  ],
];

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
    { ...parameters, examples: lives.map((life) => [life]) },
  );
}
