import fc from "fast-check";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { newSecret, signatureHeaders, signingKey } from "./webhook-signature.ts";

const message = { id: "evt_6743f1b2c9e8a45d3f0b7c23", body: '{"a":"ü"}', at: new Date() };

describe("a signature", () => {
  it("is what the specification's own example says", () => {
    const headers = signatureHeaders(
      {
        id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
        body: '{"test": 2432232314}',
        at: new Date(1_614_265_330_000),
      },
      [signingKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")],
    );
    expect(headers).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("is taken by the reference verifier for any body, and for no other", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const secret = newSecret();
        const body = JSON.stringify(value);
        const headers = signatureHeaders({ ...message, body }, [signingKey(secret)]);
        expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
        expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow(/signature/);
        expect(() => new Webhook(newSecret()).verify(body, headers)).toThrow(/signature/);
      }),
      { numRuns: 50 },
    );
  });

  it("is one for each secret that is valid, the newest first", () => {
    const secrets = [newSecret(), newSecret()];
    const headers = signatureHeaders(message, secrets.map(signingKey));
    const parsed: unknown = JSON.parse(message.body);
    for (const secret of secrets) {
      expect(new Webhook(secret).verify(message.body, headers)).toEqual(parsed);
    }
    const [first = ""] = headers["webhook-signature"]?.split(" ") ?? [];
    const [newest = ""] = secrets;
    const firstOnly = { ...headers, "webhook-signature": first };
    expect(new Webhook(newest).verify(message.body, firstOnly)).toEqual(parsed);
  });

  it("has a secret of 32 random bytes", () => {
    const secret = newSecret();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(newSecret()).not.toBe(secret);
  });
});
