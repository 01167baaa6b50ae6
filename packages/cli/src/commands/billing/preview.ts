import { routes } from "@malipo/contracts";
import { cents, centsToShillings, shillingsToCents, sumCents } from "@malipo/core";
import type { ApiResult } from "../../api/api-client.ts";
import { type CommandContext, defineCommand } from "../../command-line/command.ts";
import { parseUntil } from "../../command-line/values.ts";

type Page = ApiResult<typeof routes.previewBilling>["data"];

export const billingPreview = defineCommand({
  name: "billing preview",
  description:
    "List what would be billed until a date if nothing is paid or paused; changes nothing",
  example: "malipo billing preview --at 2027-01-31",
  args: {},
  options: {
    at: {
      valueName: "when",
      required: true,
      description: "A date (its end in Nairobi) or a date with time",
    },
  },
  run: async ({ at }, context) => {
    const until = parseUntil("--at", at);
    const subscriptions: Page["subscriptions"] = [];
    let total = cents(0);
    let invoices = 0;
    for (let page: number | null = 1; page !== null;) {
      const data: Page = await fetchPage(context, until, page);
      subscriptions.push(...data.subscriptions);
      invoices += data.invoices;
      total = sumCents([total, shillingsToCents(data.total)]);
      page = data.next;
      context.printer.progress(`${subscriptions.length} subscriptions`);
    }
    context.printer.endProgress();
    context.printer.list(
      subscriptions,
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
    context.printer.note(`${invoices} invoices, KES ${centsToShillings(total)} in all.`);
  },
});

async function fetchPage({ api }: CommandContext, at: Date, page: number): Promise<Page> {
  const query = { at: at.toISOString(), page: String(page) };
  return (await api.call(routes.previewBilling, { query })).data;
}
