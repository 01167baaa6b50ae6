import { routes } from "@malipo/contracts";
import { cents, centsToShillings, shillingsToCents, sumCents } from "@malipo/core";
import type { Answer } from "../api.ts";
import { command, type Context } from "../command.ts";
import { parseUntil } from "../values.ts";

type Page = Answer<typeof routes.previewBilling>["data"];

export const billingPreview = command({
  name: "billing preview",
  about: "List what would be billed until a moment if nobody paid or paused; nothing is changed",
  example: "malipo billing preview --at 2027-01-31",
  args: {},
  options: {
    at: { takes: "when", required: true, about: "A date, for its end in Nairobi, or a moment" },
  },
  run: async ({ at }, context) => {
    const moment = parseUntil("--at", at);
    const found: Page["subscriptions"] = [];
    let invoices = 0;
    let total = cents(0);
    for (let page: number | null = 1; page !== null;) {
      const data: Page = await ask(context, moment, page);
      found.push(...data.subscriptions);
      invoices += data.invoices;
      total = sumCents([total, shillingsToCents(data.total)]);
      page = data.next;
      context.print.progress(`${found.length} subscriptions`);
    }
    context.print.endProgress();
    context.print.list(
      found,
      [
        { heading: "SUBSCRIPTION", cell: ({ subscriptionid }) => subscriptionid },
        { heading: "NUMBER", cell: ({ subscriptionno }) => subscriptionno },
        { heading: "STATUS", cell: ({ status }) => status },
        { heading: "BECOMES", cell: ({ becomes }) => becomes },
        { heading: "PERIODS", cell: ({ periods }) => periods.length },
        { heading: "AMOUNT", cell: ({ amount }) => amount },
      ],
      "Nothing would be billed.",
    );
    context.print.note(`${invoices} invoices, KES ${centsToShillings(total)} in all.`);
  },
});

async function ask({ api }: Context, at: Date, page: number): Promise<Page> {
  const query = { at: at.toISOString(), page: String(page) };
  return (await api.ask(routes.previewBilling, { query })).data;
}
