import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  createSigningKey,
  formatWebhookSecret,
  signatureHeaders,
  webhookSecretBytes,
} from "@malipo/core";

type Verify = (secret: string, headers: Record<string, string>, body: string) => unknown;

const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [, sample = ""] = /```js\n([\s\S]*?)```/.exec(readme) ?? [];
const { verify } = (await import(
  /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(sample)}`
)) as { verify: Verify };

const newSecret = () => formatWebhookSecret(randomBytes(webhookSecretBytes));
const secret = newSecret();
const body = '{"event":"invoice.paid","data":{"name":"Wanjikũ"}}';
const at = new Date();
const headers = signatureHeaders({ id: "evt_1", body, at }, [createSigningKey(secret)]);

describe("the verify function in the README", () => {
  it("accepts a signed body, also when an old secret signs beside the new one", () => {
    expect(verify(secret, headers, body)).toEqual(JSON.parse(body));
    const keys = [createSigningKey(newSecret()), createSigningKey(secret)];
    const rotated = signatureHeaders({ id: "evt_1", body, at }, keys);
    expect(verify(secret, rotated, body)).toEqual(JSON.parse(body));
  });

  it.each([
    ["another body", headers, `${body} `],
    ["another id", { ...headers, "webhook-id": "evt_2" }, body],
    [
      "another time",
      { ...headers, "webhook-timestamp": String(Math.floor(at.getTime() / 1_000) - 1) },
      body,
    ],
    ["no signature", { ...headers, "webhook-signature": "" }, body],
    ["an empty signature", { ...headers, "webhook-signature": "v1," }, body],
    ["no time", { ...headers, "webhook-timestamp": "soon" }, body],
  ])("refuses a delivery with %s", (_name, changed, text) => {
    expect(() => verify(secret, changed, text)).toThrow(/not signed|too old/);
  });

  it("refuses a delivery that is more than five minutes old", () => {
    const old = new Date(at.getTime() - 6 * 60_000);
    const late = signatureHeaders({ id: "evt_1", body, at: old }, [createSigningKey(secret)]);
    expect(() => verify(secret, late, body)).toThrow("too old");
  });
});
