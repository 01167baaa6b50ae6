import { describe, expect, it } from "vitest";
import { type Action, expectYear, type Scenario } from "../../../test/expected-year.ts";
import { drawScenario } from "../../../test/random-scenario.ts";
import { simulate } from "../../../test/simulated-subscription.ts";

const days = 400;
const scenarios = 500;
const isOpen = / (unpaid|partially_paid)$/;

/** A subscription waits for a partly paid invoice as for an unpaid one. */
const asUnpaid = (line: string) => line.replace(/ (partially_paid|half paid)$/, " unpaid");

function perform(simulation: ReturnType<typeof simulate>, action: Action): void {
  const open = simulation.invoices.flatMap((line, index) => (isOpen.test(line) ? index + 1 : []));
  const [oldest] = open;
  if (action === "pause") simulation.pause();
  if (action === "resume") simulation.resume();
  if (action === "cancel") simulation.cancel();
  if (action === "generate invoice") simulation.generate();
  if (action === "pay oldest" && oldest) simulation.pay(oldest);
  if (action === "cancel oldest invoice" && oldest) simulation.cancelInvoice(oldest);
  if (action === "pay all") for (const number of open) simulation.pay(number);
  if (action === "pay half" && oldest) simulation.payPart(oldest);
}

function simulateYear({ cycle, autorenew, trialDays, endsOn, outages, actions }: Scenario) {
  const simulation = simulate({
    cycle,
    autorenew,
    ...(trialDays !== null && { trialDays }),
    ...(endsOn !== null && { endsOn }),
  });
  for (let day = 1; day <= days; day += 1) {
    if (outages.has(day)) continue;
    simulation.skipTo(day);
    simulation.processDue();
    const action = actions.get(day);
    if (action) perform(simulation, action);
  }
  return { invoices: simulation.invoices.map(asUnpaid), status: simulation.state.status };
}

describe("400 days of 500 random scenarios", () => {
  it("are billed as the expected year says", () => {
    const statuses = new Set<string>();
    let invoices = 0;
    for (let seed = 1; seed <= scenarios; seed += 1) {
      const scenario = drawScenario(seed, { days });
      const simulated = simulateYear(scenario);
      const expected = expectYear(scenario);
      expect({ seed, ...simulated }).toEqual({
        seed,
        invoices: expected.invoices.map(asUnpaid),
        status: expected.status,
      });
      statuses.add(simulated.status);
      invoices += simulated.invoices.length;
    }
    // The scenarios must differ enough to mean something.
    expect(statuses.size).toBeGreaterThanOrEqual(4);
    expect(invoices).toBeGreaterThan(2_000);
  });
});
