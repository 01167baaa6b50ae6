import { type Cipher, newId, type Service } from "@malipo/platform";
import { ObjectId } from "mongodb";
import type { ProviderAccount } from "../providers/provider.ts";
import { seal, type SealedDocument } from "./sealed.ts";

const rememberedMax = 1_000;

interface SettingsDocument extends Required<SealedDocument> {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly createdat: Date;
}

/** Settings as they were at one time: a payment is asked about with those it was made with. */
export interface ProviderSettings {
  /** Written before what points to them; those that nothing points to do no harm. */
  keep(businessid: string, account: ProviderAccount): Promise<string>;
  find(settingsid: string): Promise<ProviderAccount | null>;
}

export function openProviderSettings(
  { store, clock }: Pick<Service, "store" | "clock">,
  cipher: Cipher,
): ProviderSettings {
  const collection = store.db.collection<SettingsDocument>("providersettings");
  // They never change, so what was opened once may be remembered.
  const remembered = new Map<string, ProviderAccount>();

  return {
    async keep(businessid, account) {
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
      const known = remembered.get(settingsid);
      if (known) return known;
      const found = await collection.findOne({ _id: new ObjectId(settingsid) });
      if (!found) return null;
      const text = cipher.decrypt(found.sealed.value(), settingsid);
      const account = JSON.parse(Buffer.from(text).toString()) as ProviderAccount;
      const [oldest] = remembered.keys();
      if (remembered.size >= rememberedMax && oldest !== undefined) remembered.delete(oldest);
      remembered.set(settingsid, account);
      return account;
    },
  };
}
