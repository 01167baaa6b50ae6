import type { SharedServers } from "@malipo/testing";
import fc from "fast-check";
import { type Command, command } from "./invoice-commands.ts";
import { endWorld, openWorld, runCommand } from "./invoice-world.ts";
import { openInvoiceService } from "./test-service.ts";

const create: Command = { kind: "create", amount: 50, days: 3 };

/** Sequences that random generation rarely finds. */
const knownSequences: readonly Command[][] = [
  // A draft becomes open by a part payment while its customer has credit.
  [
    create,
    create,
    { kind: "patch", pick: 1, status: "draft", discount: undefined, days: undefined },
    { kind: "pay", pick: 0, amount: 80 },
    { kind: "deliver", pick: 0, again: false },
    { kind: "pay", pick: 1, amount: 10 },
    { kind: "deliver", pick: 0, again: false },
  ],
  // A PATCH sets an overdue invoice to the status that its later due date would have set.
  [
    { ...create, days: 0 },
    { kind: "pay", pick: 0, amount: 10 },
    { kind: "days pass", days: 1 },
    { kind: "deliver", pick: 0, again: false },
    { kind: "patch", pick: 0, status: "partially_paid", discount: undefined, days: 1 },
  ],
];

/** Runs random sequences of commands, each in a new business, and compares the service to the model. */
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
    { ...parameters, examples: knownSequences.map((commands) => [commands]) },
  );
}
