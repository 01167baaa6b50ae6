import { dataOf, eventually, idIn, publishEvents, useSystem } from "@malipo/testing";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { paymentEvent } from "./payment-event.ts";
import { type Received, startReceiver } from "./receiver.ts";

const system = useSystem(["invoice", "webhook"]);
const { api } = system;

async function createWebhook(body: object): Promise<{ id: string; secret: string }> {
  const created = await api("POST", "/business/webhook/create", body);
  expect(created.status).toBe(201);
  return { id: idIn(created), secret: String(dataOf(created)["secret"]) };
}

function verify(secret: string, { body, headers }: Received): unknown {
  return new Webhook(secret).verify(body, headers as Record<string, string>);
}

describe("an event", () => {
  it("arrives with what the interface shows and a signature that the reference verifier takes", async () => {
    const receiver = await startReceiver();
    const { secret } = await createWebhook({ url: receiver.url });
    const event = paymentEvent(system.business.businessid);
    await publishEvents(system.servers, [event]);
    const [received] = await eventually(() => {
      expect(receiver.received).toHaveLength(1);
      return receiver.received;
    }, 10_000);
    if (!received) throw new Error("nothing received");
    expect(verify(secret, received)).toEqual({
      id: event.id,
      type: "payment.completed",
      created: event.at,
      data: event.data,
    });
    expect(received.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": event.id,
      "webhook-resource": event.recordid,
      "webhook-sequence": "2",
    });
    expect(received.body).not.toContain("customerid");
  });
});
