import { routes } from "@malipo/contracts";
import { command, type Context } from "../../command-line/command.ts";
import { usageProblem } from "../../command-error.ts";
import { parseWholeNumber } from "../../command-line/values.ts";

/** Letters come with their bodies, and an answer has a bound. */
const listedAtOnce = "20";

export const deadReplay = command({
  name: "dead replay",
  about: "Send a dead letter's event again and remove the letter",
  example: "malipo dead replay 17",
  args: { seq: { optional: true, about: "The letter's number, as dead list shows it" } },
  options: { all: { about: "All letters there are" } },
  run: async ({ seq, all }, context) => {
    if ((seq === undefined) !== all) throw usageProblem("Give either a <seq> or --all.");
    if (seq !== undefined) {
      const { data, message } = await replay(context, parseWholeNumber("<seq>", seq));
      return context.print.record(data, [message]);
    }
    const replayed: { seq: number }[] = [];
    // All are listed first: one that dies again at once must not be met again.
    for (const one of await allLetters(context)) {
      replayed.push((await replay(context, one)).data);
      context.print.progress(`${replayed.length} replayed`);
    }
    context.print.endProgress();
    context.print.list(replayed, [{ heading: "REPLAYED", cell: (one) => one.seq }], "No letters.");
  },
});

async function replay({ api }: Context, seq: number) {
  return api.ask(routes.replayDeadLetter, { body: { seq } });
}

async function allLetters({ api }: Context): Promise<number[]> {
  const found: number[] = [];
  for (;;) {
    const query = { from: String((found.at(-1) ?? 0) + 1), limit: listedAtOnce };
    const { data } = await api.ask(routes.listDeadLetters, { query });
    if (data.length === 0) return found;
    found.push(...data.map(({ seq }) => seq));
  }
}
