import { type EventEnvelope, type EventOf, routes } from "@malipo/contracts";
import { ok } from "@malipo/core";
import { type EventHandler, newId } from "@malipo/platform";
import { ObjectId } from "mongodb";
import { expect } from "vitest";
import { cancelUnpaidInvoice, applyDueDate } from "../src/domain/invoice/change-invoice.ts";
import type { Deps } from "../src/deps.ts";
import { describeOwedByCustomer } from "../src/handlers/calls/describe-owed-by-customer.ts";
import { createInvoice } from "../src/handlers/invoices/create-invoice.ts";
import { onCredit } from "../src/handlers/events/on-credit.ts";
import { onInvoice } from "../src/handlers/events/on-invoice.ts";
import { onPayment } from "../src/handlers/events/on-payment.ts";
import { updateInvoice } from "../src/handlers/invoices/update-invoice.ts";
import { sumApplied, type Invoice, computeInvoiceTotals } from "../src/domain/invoice/invoice.ts";
import { creditIdOf } from "../src/store/credits.ts";
import type { Command, CommandOf } from "./invoice-commands.ts";
import {
  asksForMoney,
  balanceOf,
  cancel,
  applyModelDueDate,
  type ModelInvoice,
  modelInvoice,
  patch,
  receive,
} from "./invoice-model.ts";
import { type Life, makeKillable, repeatUntilDone } from "./killable-deps.ts";
import { type Stock, stock } from "./test-service.ts";
import { paymentCompleted } from "./payment-event.ts";

const dayMs = 86_400_000;

interface Paid {
  readonly event: EventOf<"payment.completed">;
  delivered: boolean;
}

/** The service, the model of what it must contain, and the events that are still to be delivered. */
export interface World {
  readonly deps: Deps;
  readonly stock: Stock;
  readonly clock: { now: number };
  readonly life: Life;
  readonly handlers: { readonly [noun: string]: EventHandler };
  readonly invoices: Map<string, ModelInvoice>;
  /** Completed payments, whether or not their event has been delivered. */
  readonly payments: Paid[];
  /** The ids of the events that have been delivered. */
  readonly deliveredEvents: Set<string>;
}

export async function openWorld(deps: Deps, clock: { now: number }): Promise<World> {
  const life = { writes: Infinity };
  const worker = makeKillable(deps, life);
  return {
    deps,
    clock,
    stock: await stock(deps),
    life,
    handlers: {
      payment: onPayment(worker) as EventHandler,
      invoice: onInvoice(worker) as EventHandler,
      credit: onCredit(worker) as EventHandler,
    },
    invoices: new Map(),
    payments: [],
    deliveredEvents: new Set(),
  };
}

export async function runCommand(world: World, command: Command): Promise<void> {
  await runOne(world, command);
  const preview = await describeOwed(world);
  await deliverAllEvents(world);
  await check(world);
  const owed = await describeOwed(world);
  // Credit that an event still has to grant is not in the preview, so it may be larger.
  expect(preview).toBeGreaterThanOrEqual(owed);
}

/** Delivers all late payments, then all events again in reverse order, as after a resend. */
export async function endWorld(world: World): Promise<void> {
  for (const payment of world.payments) await deliver(world, payment);
  await deliverAllEvents(world);
  await check(world);
  for (const event of (await eventsIn(world)).toReversed()) await handleEvent(world, event);
  await deliverAllEvents(world);
  await check(world);
}

async function runOne(world: World, command: Command): Promise<void> {
  if (command.kind === "create") return create(world, command);
  if (command.kind === "kill") {
    world.life.writes = command.writes;
    return;
  }
  if (command.kind === "days pass") return passDays(world, command.days);
  if (command.kind === "deliver") {
    const waiting = world.payments.filter(({ delivered }) => command.again || !delivered);
    const payment = waiting[command.pick % waiting.length];
    return payment && deliver(world, payment);
  }
  const ids = [...world.invoices.keys()];
  const id = ids[command.pick % ids.length];
  if (id === undefined) return;
  if (command.kind === "patch") return change(world, id, command);
  if (command.kind === "cancel") return cancelOnBehalf(world, id);
  const { businessid } = world.stock;
  const event = paymentCompleted(businessid, id, command.amount, new Date(world.clock.now));
  world.payments.push({ event, delivered: false });
}

async function create(world: World, { amount, days }: CommandOf<"create">): Promise<void> {
  const { customerid, productid } = world.stock;
  const duedate = world.clock.now + days * dayMs;
  const body = routes.createInvoice.body.parse({
    customerid,
    items: [{ itemid: productid, quantity: 1, rate: amount }],
    duedate: new Date(duedate).toISOString(),
  });
  const answer = await createInvoice(world.deps)({ ...requestIn(world), params: {}, body });
  if (!answer.ok) throw new Error(answer.error.text);
  const { _id, status, balance } = answer.value.data;
  expect([status, balance]).toEqual(["unpaid", amount]);
  world.invoices.set(_id, modelInvoice(amount * 100, duedate));
}

async function change(world: World, id: string, command: CommandOf<"patch">): Promise<void> {
  const { status, discount, days } = command;
  const duedate = days === undefined ? undefined : world.clock.now + days * dayMs;
  const body = routes.updateInvoice.body.parse({
    status,
    discount,
    duedate: duedate && new Date(duedate).toISOString(),
  });
  const answer = await updateInvoice(world.deps)({ ...requestIn(world), params: { id }, body });
  const inCents = discount === undefined ? undefined : discount * 100;
  const taken = patch(modelOf(world, id), { status, discount: inCents, duedate });
  expect({ taken: answer.ok }).toEqual({ taken });
}

async function cancelOnBehalf(world: World, id: string): Promise<void> {
  const now = new Date(world.clock.now);
  const updated = await world.deps.invoices.update(world.stock.businessid, id, { now }, (invoice) =>
    cancelUnpaidInvoice(invoice, { now, creditIdOf }),
  );
  const refused = updated?.fault !== null;
  expect({ refused }).toEqual({ refused: !cancel(modelOf(world, id)) });
}

async function passDays(world: World, days: number): Promise<void> {
  world.clock.now += days * dayMs;
  const now = new Date(world.clock.now);
  for (const [id, model] of world.invoices) {
    await world.deps.invoices.update(world.stock.businessid, id, { now }, (invoice) =>
      ok(applyDueDate(invoice, now)),
    );
    applyModelDueDate(model, world.clock.now);
  }
}

async function deliver(world: World, payment: Paid): Promise<void> {
  payment.delivered = true;
  await handleEvent(world, payment.event);
}

async function handleEvent(world: World, event: EventEnvelope): Promise<void> {
  const handle = world.handlers[event.type.split(".")[0] ?? ""];
  if (handle)
    expect(await repeatUntilDone(world.life, async () => handle([event as never]))).toEqual([]);
}

/** Delivers the events of all documents, each twice, until there are no new ones. */
async function deliverAllEvents(world: World): Promise<void> {
  for (;;) {
    const newEvents = (await eventsIn(world)).filter(({ id }) => !world.deliveredEvents.has(id));
    if (newEvents.length === 0) return;
    for (const { id } of newEvents) world.deliveredEvents.add(id);
    // Concurrently, and in both orders.
    const workers = [...newEvents.toReversed(), ...newEvents].map(async (event) =>
      handleEvent(world, event),
    );
    await Promise.all(workers);
  }
}

async function eventsIn({ deps, stock }: World): Promise<EventEnvelope[]> {
  const businessid = new ObjectId(stock.businessid);
  const found = await Promise.all(
    [deps.invoices, deps.credits].map(({ collection }) =>
      collection.find({ businessid }).toArray(),
    ),
  );
  return found.flat().flatMap(({ _id, events }) =>
    events.map(({ at, inside, ...event }) => ({
      ...event,
      businessid: stock.businessid,
      recordid: String(_id),
      at: at.toISOString(),
      inside,
    })),
  );
}

async function check(world: World): Promise<void> {
  const { deps, stock, payments } = world;
  const ids = [...world.invoices.keys()];
  const invoices = await Promise.all(ids.map(async (id) => invoiceIn(world, id)));
  const sent = await eventsIn(world);
  for (const invoice of invoices) compareToModel(modelOf(world, invoice.id), invoice, sent);
  const credit = await deps.credits.sumUnspent(stock);
  const received = payments
    .filter(({ delivered }) => delivered)
    .reduce((sum, { event }) => sum + event.data.amount * 100, 0);
  const standing = invoices.reduce((sum, invoice) => sum + sumApplied(invoice), 0);
  expect({ received }).toEqual({ received: standing + credit });
  const owed = credit === 0 ? [] : invoices.filter((invoice) => invoice.owed !== null);
  expect(owed.map(({ id, balance }) => ({ id, balance }))).toEqual([]);
}

/** The service decides the order of payments on an invoice. The model checks their effect. */
function compareToModel(
  model: ModelInvoice,
  invoice: Invoice,
  sent: readonly EventEnvelope[],
): void {
  for (const payment of invoice.payments.slice(model.applied.length)) {
    receive(model, payment.amount);
  }
  const { status, balance, paidOutside, payments } = invoice;
  const applied = payments.map((payment) => payment.applied);
  expect({ status, balance, paidOutside, applied }).toEqual({
    status: model.status,
    balance: balanceOf(model),
    paidOutside: model.paidOutside,
    applied: model.applied,
  });
  expect(balance).toBe(computeInvoiceTotals(invoice).total - sumApplied(invoice) - paidOutside);
  expect(balance).toBeGreaterThanOrEqual(0);
  expect(invoice.owed).toBe(asksForMoney(model) && balance > 0 ? balance : null);
  expect(new Set(payments.map(({ key }) => key)).size).toBe(payments.length);
  const own = sent.filter(({ recordid }) => recordid === invoice.id);
  const types = own.map(({ type }) => type).filter((type) => type.startsWith("invoice."));
  expect(types).toEqual(model.events);
  expect(own.map(({ seq }) => seq)).toEqual(own.map((_, index) => index + 1));
}

async function invoiceIn({ deps, stock }: World, id: string): Promise<Invoice> {
  const found = await deps.invoices.find(stock.businessid, id);
  if (!found) throw new Error(`no invoice ${id}`);
  return found;
}

/** The amount that owed-by-customer answers. */
async function describeOwed(world: World): Promise<number> {
  const { businessid, customerid } = world.stock;
  const request = { ...requestIn(world), params: {}, body: { customerid } };
  const answer = await describeOwedByCustomer(world.deps)({ ...request, businessid });
  if (!answer.ok) throw new Error(answer.error.text);
  return answer.value.data.owed;
}

function modelOf({ invoices }: World, id: string): ModelInvoice {
  const model = invoices.get(id);
  if (!model) throw new Error(`${id} is not in the model`);
  return model;
}

function requestIn({ stock, clock }: World) {
  return {
    businessid: stock.businessid,
    query: undefined,
    languages: "",
    cause: { now: new Date(clock.now), operationid: newId() },
    deadline: new Date(clock.now + 5_000),
  } as const;
}
