import { type Cipher, newId, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { ProviderAccount } from "../domain/payment-method.ts";
import { seal, type SealedDocument } from "./sealed.ts";

const cacheMax = 1_000;

interface SettingsDocument extends Required<SealedDocument> {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly createdat: Date;
}

/**
 * Accounts with the provider, encrypted. They never change: an update inserts new ones, so that a payment
 * is queried with the account that it was made with.
 */
export interface ProviderSettings {
  /** Insert settings before the method that refers to them. Settings without a method are harmless. */
  insert(businessid: string, account: ProviderAccount): Promise<string>;
  find(settingsid: string): Promise<ProviderAccount | null>;
}

export function openProviderSettings(
  { store, clock }: Pick<Service, "store" | "clock">,
  cipher: Cipher,
): ProviderSettings {
  const collection = store.db.collection<SettingsDocument>("providersettings");
  // Settings never change, so decrypted ones can be cached.
  const cache = new Map<string, ProviderAccount>();

  return {
    async insert(businessid, account) {
      const settingsid = newId();
      await collection.insertOne({
        _id: new ObjectId(settingsid),
        businessid: new ObjectId(businessid),
        ...seal(cipher, Buffer.from(JSON.stringify(account)), settingsid),
        createdat: clock(),
      });
      return settingsid;
    },
    async find(settingsid) {
      const cached = cache.get(settingsid);
      if (cached) return cached;
      const found = await collection.findOne({ _id: new ObjectId(settingsid) });
      if (!found) return null;
      const plaintext = cipher.decrypt(found.sealed.value(), settingsid);
      const account = JSON.parse(Buffer.from(plaintext).toString()) as ProviderAccount;
      const [oldest] = cache.keys();
      if (cache.size >= cacheMax && oldest !== undefined) cache.delete(oldest);
      cache.set(settingsid, account);
      return account;
    },
  };
}
