import { randomBytes } from "node:crypto";
import { createCipher, type KeyRing } from "@malipo/platform";
import { eventually, startSimulator, useSharedServers } from "@malipo/testing";
import { describe, expect, it } from "vitest";
import { openProviderSettings } from "../src/store/provider-settings.ts";
import type { ProviderAccount } from "../src/domain/payment-method.ts";
import { resealCollection } from "../src/jobs/reseal-secrets.ts";
import type { SealedDocument } from "../src/store/sealed.ts";
import { businessid, nextPhone, openPayments } from "./open-payments.ts";

const servers = useSharedServers();
const simulator = await startSimulator();

const first = [1, randomBytes(32)] as const;
const second = [2, randomBytes(32)] as const;
const text = (ring: KeyRing) =>
  ring.map(([id, key]) => `${id}:${Buffer.from(key).toString("base64")}`).join(",");
const account = (index: number): ProviderAccount => ({
  type: "paybill",
  shortcode: String(600_000 + index),
  storenumber: null,
  consumerkey: `key-${index}`,
  consumersecret: `secret-${index}`,
  passkey: `passkey-${index}`,
});

/** Opens the service with these keys. `env` may name the database of another one. */
async function openWith(ring: KeyRing, env = {}) {
  const opened = await openPayments(servers, simulator.url, { ENCRYPTION_KEY: text(ring), ...env });
  const { service } = opened.deps;
  const sealed = (name: string) => service.store.db.collection<SealedDocument>(name);
  const keysOf = async (name: string) =>
    (await sealed(name).find().toArray()).map(({ keyid = 0 }) => keyid).toSorted((a, b) => a - b);
  const settingsWith = (one: KeyRing) => openProviderSettings(service, createCipher(one));
  return { ...opened, service, sealed, keysOf, settingsWith };
}

describe("resealing after a key rotation", () => {
  it("seals all secrets with the new key at the start, so that the old key can be removed", async () => {
    const before = await openWith([first]);
    const { settings } = before.deps;
    const ids = await Promise.all(
      Array.from({ length: 150 }, async (_, index) => settings.insert(businessid, account(index))),
    );
    // Documents of an older release have no key number.
    const [firstId = ""] = ids;
    await before.sealed("providersettings").updateMany({}, { $unset: { keyid: "" } });
    expect((await before.request(nextPhone())).ok).toBe(true);

    const { NAMESPACE } = before.service.config;
    const rotated = await openWith([second, first], { NAMESPACE });
    await eventually(async () => {
      expect(new Set(await rotated.keysOf("providersettings"))).toEqual(new Set([2]));
      expect(await rotated.keysOf("providertokens")).toEqual([2]);
    });
    const { port } = rotated.service.health;
    const metrics = await fetch(`http://127.0.0.1:${port}/metrics`);
    expect(await metrics.text()).toMatch(/^malipo_sealed_with_older_keys.* 0$/m);

    const after = await openWith([second], { NAMESPACE });
    for (const [index, id] of ids.entries())
      expect(await after.deps.settings.find(id)).toEqual(account(index));
    expect((await after.request(nextPhone())).ok).toBe(true);
    await expect(after.settingsWith([first]).find(firstId)).rejects.toThrow(/key 2/);
  });

  it("can be interrupted, repeated and run concurrently, and skips secrets that no key opens", async () => {
    const { service, sealed, keysOf, settingsWith } = await openWith([second]);
    const settings = sealed("providersettings");
    const old = settingsWith([first]);
    const ids = [
      await old.insert(businessid, account(1)),
      await old.insert(businessid, account(2)),
    ];
    const lost = await settingsWith([[3, randomBytes(32)]]).insert(businessid, account(3));
    const both = createCipher([second, first]);

    const interrupted = {
      ...service,
      shutdown: { ...service.shutdown, signal: AbortSignal.abort() },
    };
    await resealCollection(interrupted, both, settings);
    expect(await keysOf("providersettings")).toEqual([1, 1, 3]);
    await Promise.all([1, 2, 3].map(async () => resealCollection(service, both, settings)));
    await resealCollection(service, both, settings);
    expect(await keysOf("providersettings")).toEqual([2, 2, 3]);
    for (const [index, id] of ids.entries())
      expect(await settingsWith([second]).find(id)).toEqual(account(index + 1));
    await expect(settingsWith([second, first]).find(lost)).rejects.toThrow(/key 3/);
  });
});
