import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  createSigningKey,
  deliveryHeaders,
  formatWebhookSecret,
  signatureHeaders,
  webhookSecretBytes,
} from "./webhook-signature.ts";

const message = { id: "evt_6743f1b2c9e8a45d3f0b7c23", body: '{"a":"ü"}', at: new Date() };
const newSecret = () => formatWebhookSecret(randomBytes(webhookSecretBytes));

describe("signatureHeaders", () => {
  it("returns the headers of the specification's own example", () => {
    const headers = signatureHeaders(
      {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        body: '{"test": 2432232314}',
        at: new Date(1_614_265_330_000),
      },
      [createSigningKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
    );
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("signs a body so that the reference verifier accepts this body with this secret only", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = newSecret();
        const body = JSON.stringify(value);
        const headers = signatureHeaders({ ...message, body }, [createSigningKey(secret)]);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/);
        expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow(/signature/);
      }),
      { numRuns: 50 },
    );
  });

  it("returns one signature for each key, in the order of the keys", () => {
    const secrets = [newSecret(), newSecret()];
    const headers = signatureHeaders(message, secrets.map(createSigningKey));
    const parsed: unknown = JSON.parse(message.body);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(message.body, headers)).toEqual(parsed);
    }
    const [first = ""] = headers["webhook-signature"]?.split(" ") ?? [];
    const [newest = ""] = secrets;
    const firstOnly = { ...headers, "webhook-signature": first };
    expect(new Webhook(newest).verify(message.body, firstOnly)).toEqual(parsed);
  });
});

describe("deliveryHeaders", () => {
  it("returns the signature and the place of the event among those of its resource", () => {
    const keys = [createSigningKey(newSecret())];
    expect(deliveryHeaders({ ...message, resourceid: "r1", sequence: 7 }, keys)).toEqual({
      "content-type": "application/json",
      "user-agent": "Malipo-Webhook/1",
      ...signatureHeaders(message, keys),
      "webhook-resource": "r1",
      "webhook-sequence": "7",
    });
  });
});

describe("formatWebhookSecret", () => {
  it("writes 32 random bytes as base64 behind a prefix", () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(secret);
  });

  it("refuses any other number of bytes", () => {
    expect(() => formatWebhookSecret(new Uint8Array(31))).toThrow("32 random bytes");
  });
});
