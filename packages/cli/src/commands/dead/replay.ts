import { routes } from "@malipo/contracts";
import { usageError } from "../../command-error.ts";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { parseWholeNumber } from "../../command-line/values.ts";

/** Small pages, because dead letters come with their bodies and a response has a maximum size. */
const pageSize = "20";

export const deadReplay = defineCommand({
  name: "dead replay",
  description: "Publish a dead letter's event again and remove the dead letter",
  example: "malipo dead replay 17",
  args: { seq: { optional: true, description: "The dead letter's number, as dead list shows it" } },
  options: { all: { description: "All dead letters" } },
  run: async ({ seq, all }, context) => {
    if ((seq === undefined) !== all) throw usageError("Give either a <seq> or --all.");
    if (seq !== undefined) {
      const { data, message } = await replay(context, parseWholeNumber("<seq>", seq));
      return context.printer.record(data, [message]);
    }
    const replayed: { seq: number }[] = [];
    // All are listed first, so that an event that fails again at once is not replayed twice.
    for (const letter of await listAllSequences(context)) {
      replayed.push((await replay(context, letter)).data);
      context.printer.progress(`${replayed.length} replayed`);
    }
    context.printer.endProgress();
    context.printer.list(
      replayed,
      [{ heading: "REPLAYED", cell: (letter) => letter.seq }],
      "No dead letters.",
    );
  },
});

async function replay({ api }: CommandContext, seq: number) {
  return api.call(routes.replayDeadLetter, { body: { seq } });
}

async function listAllSequences({ api }: CommandContext): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const query = { from: String((found.at(-1) ?? 0) + 1), limit: pageSize };
    const { data } = await api.call(routes.listDeadLetters, { query });
    if (data.length === 0) return found;
    found.push(...data.map(({ seq }) => seq));
  }
}
