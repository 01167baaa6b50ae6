import { invoiceStatuses } from "@malipo/contracts";
import fc from "fast-check";

/** Selects one of the existing invoices or payments, modulo their number. */
const pick = fc.nat({ max: 1_000 });
const amount = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 1, max: 150 }));
const days = fc.integer({ min: -1, max: 3 });

const create = fc.record({ kind: fc.constant("create" as const), amount: fc.nat(100), days });
const pay = fc.record({ kind: fc.constant("pay" as const), pick, amount });
const deliver = fc.record({ kind: fc.constant("deliver" as const), pick, again: fc.boolean() });
const patch = fc.record({
  kind: fc.constant("patch" as const),
  pick,
  status: fc.option(fc.constantFrom(...invoiceStatuses), { nil: undefined }),
  discount: fc.option(fc.nat(120), { nil: undefined, freq: 3 }),
  days: fc.option(days, { nil: undefined, freq: 3 }),
});
const cancel = fc.record({ kind: fc.constant("cancel" as const), pick });
const pass = fc.record({
  kind: fc.constant("days pass" as const),
  days: fc.integer({ min: 1, max: 2 }),
});
/** A worker is killed after this number of further writes. */
const kill = fc.record({ kind: fc.constant("kill" as const), writes: fc.nat(6) });

export const command = fc.oneof(
  { weight: 3, arbitrary: create },
  { weight: 5, arbitrary: pay },
  { weight: 4, arbitrary: deliver },
  { weight: 5, arbitrary: patch },
  { weight: 1, arbitrary: cancel },
  { weight: 2, arbitrary: pass },
  { weight: 2, arbitrary: kill },
);

type Given<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never;
export type Command = Given<typeof command>;
export type CommandOf<Kind extends Command["kind"]> = Extract<Command, { kind: Kind }>;
