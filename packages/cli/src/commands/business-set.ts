import { routes } from "@malipo/contracts";
import { command } from "../command.ts";
import { usageProblem } from "../problem.ts";
import { parseNumber, parseTruth, parseWholeNumber } from "../values.ts";

const settings = {
  displayname: { takes: "name", about: "What customers read" },
  feepercent: { takes: "number", about: "The fee in percent of a payment, for information" },
  feefixed: { takes: "shillings", about: "The fixed fee of a payment, for information" },
  duedays: { takes: "days", about: "From an invoice's issue until it falls due" },
  duedaysweekly: { takes: "days", about: "The same for weekly subscriptions" },
  partpayment: { takes: "true|false", about: "Whether invoices may be paid in parts" },
} as const;

export const businessSet = command({
  name: "business set",
  about: "Change a business's settings; only what is given changes",
  example: "malipo business set 507f1f77bcf86cd799439011 --duedays 14 --partpayment true",
  args: { id: { about: "The business's id" } },
  options: settings,
  run: async ({ id, ...given }, { api, print }) => {
    const { displayname, feepercent, feefixed, duedays, duedaysweekly, partpayment } = given;
    const body = {
      displayname,
      feepercent: ifGiven(feepercent, (text) => parseNumber("--feepercent", text)),
      feefixed: ifGiven(feefixed, (text) => parseNumber("--feefixed", text)),
      duedays: ifGiven(duedays, (text) => parseWholeNumber("--duedays", text)),
      duedaysweekly: ifGiven(duedaysweekly, (text) => parseWholeNumber("--duedaysweekly", text)),
      partpayment: ifGiven(partpayment, (text) => parseTruth("--partpayment", text)),
    };
    if (Object.values(body).every((value) => value === undefined)) {
      const flags = Object.keys(settings).map((name) => `--${name}`);
      throw usageProblem(`business set needs something to set: ${flags.join(", ")}.`);
    }
    const { data, message } = await api.ask(routes.setBusinessSettings, { params: { id }, body });
    print.record(data, [message]);
  },
});

function ifGiven<Value>(text: string | undefined, read: (text: string) => Value) {
  return text === undefined ? undefined : read(text);
}
