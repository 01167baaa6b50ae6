import { routes } from "@malipo/contracts";
import { usageError } from "../../command-error.ts";
import { defineCommand } from "../../command-line/command.ts";
import { parseBoolean, parseNumber, parseWholeNumber } from "../../command-line/values.ts";

const settings = {
  displayname: { valueName: "name", description: "The name that customers see" },
  feepercent: {
    valueName: "number",
    description: "The fee in percent of a payment, for information",
  },
  feefixed: { valueName: "shillings", description: "The fixed fee of a payment, for information" },
  duedays: { valueName: "days", description: "Days from the issue of an invoice until it is due" },
  duedaysweekly: { valueName: "days", description: "The same for weekly subscriptions" },
  partpayment: { valueName: "true|false", description: "Whether invoices may be paid in parts" },
} as const;

export const businessSet = defineCommand({
  name: "business set",
  description: "Change a business's settings; only what is given changes",
  example: "malipo business set 507f1f77bcf86cd799439011 --duedays 14 --partpayment true",
  args: { id: { description: "The business's id" } },
  options: settings,
  run: async ({ id, ...input }, { api, printer }) => {
    const { displayname, feepercent, feefixed, duedays, duedaysweekly, partpayment } = input;
    const body = {
      displayname,
      feepercent: ifGiven(feepercent, (text) => parseNumber("--feepercent", text)),
      feefixed: ifGiven(feefixed, (text) => parseNumber("--feefixed", text)),
      duedays: ifGiven(duedays, (text) => parseWholeNumber("--duedays", text)),
      duedaysweekly: ifGiven(duedaysweekly, (text) => parseWholeNumber("--duedaysweekly", text)),
      partpayment: ifGiven(partpayment, (text) => parseBoolean("--partpayment", text)),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      const flags = Object.keys(settings).map((name) => `--${name}`);
      throw usageError(`business set needs at least one of: ${flags.join(", ")}.`);
    }
    const { data, message } = await api.call(routes.setBusinessSettings, { params: { id }, body });
    printer.record(data, [message]);
  },
});

function ifGiven<Value>(text: string | undefined, read: (text: string) => Value) {
  return text === undefined ? undefined : read(text);
}
