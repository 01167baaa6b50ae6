/** What a person with a calendar says must have been billed: a plain loop over days, by the rules alone. */

export type Act =
  | "pay oldest"
  | "pay all"
  | "pay half"
  | "fail to pay"
  | "pause"
  | "resume"
  | "cancel"
  | "by hand"
  | "annul oldest";

export interface Life {
  readonly cycle: "weekly" | "monthly" | "quarterly";
  readonly autorenew: boolean;
  readonly trialDays: number | null;
  readonly endsOn: number | null;
  /** Days on which nobody is there: no clock, no commands. */
  readonly outages: ReadonlySet<number>;
  readonly acts: ReadonlyMap<number, Act>;
  readonly days: number;
}

interface Bill {
  readonly what: string;
  readonly issued: number;
  readonly due: number;
  state: "unpaid" | "paid" | "cancelled";
}

const lengths = { weekly: 7, monthly: 30, quarterly: 90 } as const;

/** Where it stands on the day that is looked at; days are counted from its creation. */
interface Standing {
  readonly life: Life;
  readonly bills: Bill[];
  status: string;
  /** Any day of the rhythm. */
  beat: number;
  paidUntil: number;
  next: number | null;
  waitingSince: number;
  hand: number;
  /** Where half a price is that was paid; never more than one. */
  half: Bill | "credit" | null;
}

interface Told {
  /** Each as "issued on: for which day, due on, how it stands". */
  readonly invoices: readonly string[];
  /** How the subscription stands in the end. */
  readonly status: string;
  /** Whether half a price waits for an invoice. */
  readonly hasCredit: boolean;
}

export function byTheCalendar(life: Life): Told {
  const begins = life.trialDays ?? 0;
  const standing: Standing = {
    life,
    bills: [],
    status: life.trialDays === null ? "active" : "trial",
    beat: begins,
    paidUntil: 0,
    next: begins,
    waitingSince: 0,
    hand: 1,
    half: null,
  };
  if (standing.status === "active") bill(standing, 0, 0, "cycle");
  let seen = 0;
  for (let today = 1; today <= life.days; today += 1) {
    if (life.outages.has(today)) continue;
    for (let day = seen + 1; day <= today; day += 1) look(standing, day, today);
    seen = today;
    const act = life.acts.get(today);
    if (act) settle(standing, act, today);
    if (act) command(standing, act, today);
    carry(standing);
  }
  const { half, status } = standing;
  const invoices = standing.bills.map((each) => {
    const { what, issued, due, state } = each;
    return `${issued}: ${what}, due ${due}, ${each === half ? "half paid" : state}`;
  });
  return { invoices, status, hasCredit: half === "credit" };
}

/** Money on what is cancelled goes to the oldest that is open, or waits for one. */
function carry(standing: Standing): void {
  if (standing.half === null) return;
  const { state } = standing.half === "credit" ? { state: "cancelled" } : standing.half;
  if (state === "paid") standing.half = null;
  if (state === "cancelled") standing.half = open(standing)[0] ?? "credit";
}

function open({ bills }: Standing): Bill[] {
  return bills.filter(({ state }) => state === "unpaid");
}

function isOver({ status }: Standing): boolean {
  return status === "cancelled" || status === "expired";
}

function issue(standing: Standing, what: string, day: number): void {
  const { bills, life } = standing;
  const grace = life.cycle === "weekly" ? 3 : 7;
  bills.push({ what, issued: day, due: day + grace, state: "unpaid" });
  carry(standing);
}

function bill(standing: Standing, start: number, today: number, word: "cycle" | "renewal"): void {
  issue(standing, `${word} ${start}`, today);
  standing.paidUntil = start + lengths[standing.life.cycle];
  standing.next = word === "cycle" ? standing.paidUntil : null;
}

function end(standing: Standing, as: string): void {
  standing.status = as;
  standing.next = null;
  for (const one of open(standing)) if (one.what.startsWith("renewal")) one.state = "cancelled";
}

function wait(standing: Standing, day: number): void {
  standing.status = "pending";
  standing.waitingSince = day;
  standing.next = null;
}

/** What a day brings by itself, though it may be found out only today. */
function look(standing: Standing, day: number, today: number): void {
  const { life } = standing;
  if (!isOver(standing) && life.endsOn === day) return end(standing, "expired");
  const isActive = standing.status === "active";
  if (isActive && open(standing).some(({ due }) => due === day)) wait(standing, day);
  if (standing.status === "trial" && standing.next === day) {
    standing.status = "active";
    bill(standing, day, today, "cycle");
  } else if (standing.status === "active" && standing.next === day) {
    if (!life.autorenew) wait(standing, day);
    bill(standing, day, today, life.autorenew ? "cycle" : "renewal");
  }
  const patience = life.cycle === "weekly" ? 14 : 30;
  if (standing.status === "pending" && day === standing.waitingSince + patience) {
    for (const one of open(standing)) one.state = "cancelled";
    end(standing, "expired");
  }
  carry(standing);
}

/** Money, and what it sets going again. */
function settle(standing: Standing, act: Act, today: number): void {
  const [oldest] = open(standing);
  if (act === "pay oldest" && oldest) oldest.state = "paid";
  if (act === "annul oldest" && oldest) oldest.state = "cancelled";
  if (act === "pay all") for (const one of open(standing)) one.state = "paid";
  if (act === "pay half" && oldest) standing.half ??= oldest;
  carry(standing);
  const isBlocked = open(standing).some(
    ({ what, due }) => what.startsWith("renewal") || due <= today,
  );
  if (standing.status !== "pending" || isBlocked) return;
  standing.status = "active";
  if (standing.paidUntil <= today) {
    standing.paidUntil = today + lengths[standing.life.cycle];
    standing.beat = standing.paidUntil;
  }
  standing.next = standing.paidUntil;
}

function command(standing: Standing, act: Act, today: number): void {
  if (act === "pause" && standing.status === "active") {
    standing.status = "paused";
    standing.next = null;
  } else if (act === "resume" && standing.status === "paused") {
    if (open(standing).some(({ due }) => due <= today)) return wait(standing, today);
    const length = lengths[standing.life.cycle];
    let next = standing.beat;
    while (next > today) next -= length;
    while (next <= today) next += length;
    standing.status = "active";
    standing.next = next;
  } else if (act === "cancel" && !isOver(standing)) {
    end(standing, "cancelled");
  } else if (act === "by hand" && standing.status === "active") {
    const current = standing.bills.find(({ what }) => what === `manual ${standing.hand}`);
    if (current?.state === "unpaid") return;
    if (current) standing.hand += 1;
    issue(standing, `manual ${standing.hand}`, today);
  }
}
