import { calls, type OrderDescription, otherOrdersMax } from "@malipo/contracts";
import type { Fault, Result } from "@malipo/core";
import { ask, type Service, togetherEachTurn } from "@malipo/platform";

export interface NamedOrder {
  readonly businessid: string;
  /** Null when only products are asked for. */
  readonly customerid: string | null;
  readonly itemids: string[];
  readonly deadline: Date;
}

export type DescribeOrder = (order: NamedOrder) => Promise<Result<OrderDescription, Fault>>;

const batchMax = 1 + otherOrdersMax;
/** In one message: no more than one order may have. */
const itemsMax = 200;

/** What an order names, as the invoice service knows it. Those that come in one turn are one question. */
export function openDescribeOrder(service: Service): DescribeOrder {
  return togetherEachTurn<NamedOrder, Result<OrderDescription, Fault>>(batchMax, async (orders) => {
    const answers = messagesOf(orders).map(async (message) => describe(service, message));
    return (await Promise.all(answers)).flat();
  });
}

function messagesOf(orders: readonly NamedOrder[]): NamedOrder[][] {
  const messages: NamedOrder[][] = [];
  let items = 0;
  for (const order of orders) {
    items += order.itemids.length;
    const newest = messages.at(-1);
    if (newest && items <= itemsMax) newest.push(order);
    else {
      messages.push([order]);
      items = order.itemids.length;
    }
  }
  return messages;
}

async function describe(
  service: Service,
  orders: readonly NamedOrder[],
): Promise<Result<OrderDescription, Fault>[]> {
  const [first, ...others] = orders.map(({ deadline: _deadline, ...order }) => order);
  if (!first) return [];
  const { businessid, ...order } = first;
  const body = others.length === 0 ? order : { ...order, others };
  // Who has less time than the others does not wait for them.
  const deadline = new Date(Math.max(...orders.map((each) => each.deadline.getTime())));
  const asked = await ask(service, calls.describeOrder, { businessid, body, deadline });
  if (!asked.ok) return orders.map(() => asked);
  const told = asked.value.others ?? [];
  const answers = [asked.value, ...told].map((value) => ({ ok: true, value }) as const);
  // An older release tells of the first one only.
  const untold = orders.slice(answers.length).map(async (each) => describe(service, [each]));
  return [...answers, ...(await Promise.all(untold)).flat()];
}
