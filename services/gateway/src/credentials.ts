import type { Service } from "@malipo/platform";
import { ObjectId } from "mongodb";

export interface Credential {
  readonly id: string;
  readonly businessid: string;
  readonly createdat: Date;
}

interface CredentialDocument {
  readonly _id: ObjectId;
  readonly businessid: ObjectId;
  readonly createdat: Date;
}

/** Unique across all businesses, so the hash itself is the key of a collection of its own. */
interface HashDocument {
  readonly _id: string;
  readonly credentialid: ObjectId;
  readonly businessid: ObjectId;
}

export type Credentials = Awaited<ReturnType<typeof openCredentials>>;

export async function openCredentials({ store }: Service) {
  const credentials = store.db.collection<CredentialDocument>("credentials");
  const hashes = store.db.collection<HashDocument>("credentialhashes");
  await credentials.createIndex({ businessid: 1, createdat: -1 });

  return {
    /** The hash is written first: a crash in between leaves a hash that opens nothing. */
    async insert({ id, businessid, createdat }: Credential, hash: string): Promise<void> {
      const credential = { _id: new ObjectId(id), businessid: new ObjectId(businessid), createdat };
      await hashes.insertOne({
        _id: hash,
        credentialid: credential._id,
        businessid: credential.businessid,
      });
      await credentials.insertOne(credential);
    },

    async findByHash(hash: string): Promise<Credential | null> {
      const found = await hashes.findOne({ _id: hash });
      if (!found) return null;
      const { credentialid, businessid } = found;
      const credential = await credentials.findOne({ _id: credentialid, businessid });
      if (!credential) return null;
      return {
        id: credentialid.toHexString(),
        businessid: businessid.toHexString(),
        createdat: credential.createdat,
      };
    },
  };
}
