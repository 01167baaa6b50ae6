import type { Operation } from "@malipo/contracts";
import { addMs, type Fault, hourMs, type Result } from "@malipo/core";
import { newId, type RouteHandler } from "@malipo/platform";
import type { SendingDeps } from "../src/deps.ts";
import type { Delivery, NewDelivery } from "../src/domain/delivery.ts";
import type { Endpoint } from "../src/domain/endpoint.ts";
import { resendDelivery } from "../src/handlers/deliveries/resend-delivery.ts";
import { resendFailedDeliveries } from "../src/handlers/deliveries/resend-failed-deliveries.ts";
import { testWebhook } from "../src/handlers/endpoints/test-webhook.ts";

/** The requests of an endpoint's owner at one time, without a gateway. */
export function sendRequests(deps: SendingDeps, { businessid, id }: Endpoint, now: Date) {
  async function ask<O extends Operation>(
    handle: RouteHandler<O>,
    recordid: string,
    operationid: string | undefined,
  ) {
    const request = {
      businessid,
      params: { id: recordid },
      query: undefined,
      body: {},
      languages: "",
      cause: { now, operationid },
      deadline: addMs(now, hourMs),
    };
    return handle(request as unknown as Parameters<RouteHandler<O>>[0]);
  }
  return {
    test: async (operationid?: string) => ask(testWebhook(deps), id, operationid),
    resend: async (deliveryid: string, operationid?: string) =>
      ask(resendDelivery(deps), deliveryid, operationid),
    resendFailed: async () => ask(resendFailedDeliveries(deps), id, undefined),
  };
}

type Requests = ReturnType<typeof sendRequests>;
type Way = (requests: Requests, failedid: string) => Promise<Result<unknown, Fault>>;

/** Each way to send something again, or a test. */
export const ways: readonly (readonly [name: string, send: Way])[] = [
  ["a test", async (requests) => requests.test()],
  ["a resend", async (requests, failedid) => requests.resend(failedid)],
  ["a resend of all failures", async (requests) => requests.resendFailed()],
];

export function dataOf<Data>(answer: Result<{ readonly data: Data }, Fault>): Data {
  if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
  return answer.value.data;
}

/** Stores a delivery whose last attempt failed. `dueat`: its retry; null when it has none. */
export async function addFailed(
  { deliveries }: Pick<SendingDeps, "deliveries">,
  { businessid, id: endpointid }: Endpoint,
  { now, dueat }: { readonly now: Date; readonly dueat: Date | null },
): Promise<Pick<Delivery, "id">> {
  const eventid = `evt_${newId()}`;
  const delivery: NewDelivery = {
    id: newId(),
    businessid,
    endpointid,
    eventid,
    type: "payment.completed",
    resourceid: newId(),
    sequence: 1,
    body: "{}",
    dueat: now,
    createdat: now,
  };
  const problem = "answered 500";
  const attempt = { id: newId(), at: now, milliseconds: 1, status: 500, problem, response: "" };
  const status = dueat ? "pending" : "failed";
  const outcome = { status, tries: 1, dueat, problem, failedat: now } as const;
  const unstored = { ...delivery, tries: 0, version: 1 };
  await deliveries.recordFirst([{ delivery: unstored, attempt, outcome }]);
  return delivery;
}
