/** The billing rules as a plain loop over days, written apart from the code of the service. */

export type Action =
  | "pay oldest"
  | "pay all"
  | "pay half"
  | "fail to pay"
  | "pause"
  | "resume"
  | "cancel"
  | "generate invoice"
  | "cancel oldest invoice";

/** The terms of one subscription and everything that happens to it. */
export interface Scenario {
  readonly cycle: "weekly" | "monthly" | "quarterly";
  readonly autorenew: boolean;
  readonly trialDays: number | null;
  readonly endsOn: number | null;
  /** Days without processing and without commands. */
  readonly outages: ReadonlySet<number>;
  readonly actions: ReadonlyMap<number, Action>;
  readonly days: number;
}

interface Bill {
  readonly what: string;
  readonly issued: number;
  readonly due: number;
  state: "unpaid" | "paid" | "cancelled";
}

const cycleLengths = { weekly: 7, monthly: 30, quarterly: 90 } as const;

/** The state on one day. Days are counted from the creation. */
interface State {
  readonly scenario: Scenario;
  readonly bills: Bill[];
  status: string;
  billingAnchor: number;
  billedUntil: number;
  next: number | null;
  pendingSince: number;
  manualNumber: number;
  /** The bill that half a price was paid on, or credit. There is at most one half price. */
  half: Bill | "credit" | null;
}

interface ExpectedYear {
  /** Each as "<day of issue>: <reason> <period start>, due <day>, <state>". */
  readonly invoices: readonly string[];
  /** The status on the last day. */
  readonly status: string;
  /** Half a price is credit. */
  readonly hasCredit: boolean;
}

export function expectYear(scenario: Scenario): ExpectedYear {
  const firstPeriod = scenario.trialDays ?? 0;
  const state: State = {
    scenario,
    bills: [],
    status: scenario.trialDays === null ? "active" : "trial",
    billingAnchor: firstPeriod,
    billedUntil: 0,
    next: firstPeriod,
    pendingSince: 0,
    manualNumber: 1,
    half: null,
  };
  if (state.status === "active") billPeriod(state, 0, 0, "cycle");
  let processed = 0;
  for (let today = 1; today <= scenario.days; today += 1) {
    if (scenario.outages.has(today)) continue;
    for (let day = processed + 1; day <= today; day += 1) processDay(state, day, today);
    processed = today;
    const action = scenario.actions.get(today);
    if (action) changeInvoices(state, action, today);
    if (action) runCommand(state, action, today);
    moveHalf(state);
  }
  const { half, status } = state;
  const invoices = state.bills.map((bill) => {
    const { what, issued, due } = bill;
    return `${issued}: ${what}, due ${due}, ${bill === half ? "half paid" : bill.state}`;
  });
  return { invoices, status, hasCredit: half === "credit" };
}

/** Money on a cancelled bill moves to the oldest open bill, or becomes credit for the next one. */
function moveHalf(state: State): void {
  if (state.half === null) return;
  const on = state.half === "credit" ? "cancelled" : state.half.state;
  if (on === "paid") state.half = null;
  if (on === "cancelled") state.half = openBills(state)[0] ?? "credit";
}

function openBills({ bills }: State): Bill[] {
  return bills.filter((bill) => bill.state === "unpaid");
}

function isFinal({ status }: State): boolean {
  return status === "cancelled" || status === "expired";
}

function issue(state: State, what: string, day: number): void {
  const dueDays = state.scenario.cycle === "weekly" ? 3 : 7;
  state.bills.push({ what, issued: day, due: day + dueDays, state: "unpaid" });
  moveHalf(state);
}

function billPeriod(state: State, start: number, today: number, why: "cycle" | "renewal"): void {
  issue(state, `${why} ${start}`, today);
  state.billedUntil = start + cycleLengths[state.scenario.cycle];
  state.next = why === "cycle" ? state.billedUntil : null;
}

function end(state: State, status: string): void {
  state.status = status;
  state.next = null;
  for (const bill of openBills(state)) {
    if (bill.what.startsWith("renewal")) bill.state = "cancelled";
  }
}

function markPending(state: State, day: number): void {
  state.status = "pending";
  state.pendingSince = day;
  state.next = null;
}

/** Applies the transitions of a day. After an outage `today` is later than `day`. */
function processDay(state: State, day: number, today: number): void {
  const { scenario } = state;
  if (!isFinal(state) && scenario.endsOn === day) return end(state, "expired");
  const isActive = state.status === "active";
  if (isActive && openBills(state).some(({ due }) => due === day)) markPending(state, day);
  if (state.status === "trial" && state.next === day) {
    state.status = "active";
    billPeriod(state, day, today, "cycle");
  } else if (state.status === "active" && state.next === day) {
    if (!scenario.autorenew) markPending(state, day);
    billPeriod(state, day, today, scenario.autorenew ? "cycle" : "renewal");
  }
  const pendingDaysMax = scenario.cycle === "weekly" ? 14 : 30;
  if (state.status === "pending" && day === state.pendingSince + pendingDaysMax) {
    for (const bill of openBills(state)) bill.state = "cancelled";
    end(state, "expired");
  }
  moveHalf(state);
}

/** Pays or cancels invoices, and reactivates a pending subscription that owes nothing any more. */
function changeInvoices(state: State, action: Action, today: number): void {
  const [oldest] = openBills(state);
  if (action === "pay oldest" && oldest) oldest.state = "paid";
  if (action === "cancel oldest invoice" && oldest) oldest.state = "cancelled";
  if (action === "pay all") for (const bill of openBills(state)) bill.state = "paid";
  if (action === "pay half" && oldest) state.half ??= oldest;
  moveHalf(state);
  const isBlocked = openBills(state).some(
    ({ what, due }) => what.startsWith("renewal") || due <= today,
  );
  if (state.status !== "pending" || isBlocked) return;
  state.status = "active";
  if (state.billedUntil <= today) {
    state.billedUntil = today + cycleLengths[state.scenario.cycle];
    state.billingAnchor = state.billedUntil;
  }
  state.next = state.billedUntil;
}

function runCommand(state: State, action: Action, today: number): void {
  if (action === "pause" && state.status === "active") {
    state.status = "paused";
    state.next = null;
  } else if (action === "resume" && state.status === "paused") {
    if (openBills(state).some(({ due }) => due <= today)) return markPending(state, today);
    const length = cycleLengths[state.scenario.cycle];
    let next = state.billingAnchor;
    while (next > today) next -= length;
    while (next <= today) next += length;
    state.status = "active";
    state.next = next;
  } else if (action === "cancel" && !isFinal(state)) {
    end(state, "cancelled");
  } else if (action === "generate invoice" && state.status === "active") {
    const current = state.bills.find(({ what }) => what === `manual ${state.manualNumber}`);
    if (current?.state === "unpaid") return;
    if (current) state.manualNumber += 1;
    issue(state, `manual ${state.manualNumber}`, today);
  }
}
