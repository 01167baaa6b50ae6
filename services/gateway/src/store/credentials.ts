import type { Paging } from "@malipo/contracts";
import { ensureIndexes, type PageRequest, readPage, type Service } from "@malipo/platform";
import { ObjectId, type WithId } from "mongodb";
import type { Credential } from "../domain/credential.ts";

interface CredentialDocument {
  readonly businessid: ObjectId;
  readonly createdat: Date;
  readonly lastusedat?: Date;
  readonly expiresat?: Date;
  readonly revokedat?: Date;
}

/**
 * From the hash of a secret to its credential. A separate collection, because a hash must be unique
 * across all businesses: here it is the `_id`.
 */
interface HashDocument {
  readonly _id: string;
  readonly credentialid: ObjectId;
}

export interface Credentials {
  insert(credential: Credential, hash: string): Promise<void>;
  findByHash(hash: string): Promise<Credential | null>;
  find(id: string): Promise<Credential | null>;
  list(
    businessid: string,
    request: PageRequest,
  ): Promise<{ credentials: Credential[]; paging: Paging }>;
  /** Lets an active credential expire. Null if another request has ended it already. */
  expire(id: string, at: Date): Promise<Credential | null>;
  /** Keeps the time of an earlier revocation. Null if there is no such credential. */
  revoke(id: string, at: Date): Promise<Credential | null>;
  /** Keeps the later time for each credential, so gateways may write in any order. */
  storeLastUses(usesById: ReadonlyMap<string, Date>): Promise<void>;
}

export async function openCredentials(service: Service): Promise<Credentials> {
  const { store } = service;
  const credentials = store.db.collection<CredentialDocument>("credentials");
  const hashes = store.db.collection<HashDocument>("credentialhashes");
  const newestFirst = { createdat: -1, _id: -1 } as const;
  await ensureIndexes(service, credentials, [{ key: { businessid: 1, ...newestFirst } }]);

  async function find(id: string): Promise<Credential | null> {
    const document = await credentials.findOne({ _id: new ObjectId(id) });
    return document && credentialOf(document);
  }

  return {
    find,

    /** The hash is written first: a crash between the writes leaves a hash without a credential. */
    async insert({ id, businessid, createdat }, hash) {
      const credentialid = new ObjectId(id);
      await hashes.insertOne({ _id: hash, credentialid });
      const fields = { businessid: new ObjectId(businessid), createdat };
      await credentials.insertOne({ _id: credentialid, ...fields });
    },

    async findByHash(hash) {
      const found = await hashes.findOne({ _id: hash });
      return found && find(found.credentialid.toHexString());
    },

    async list(businessid, request) {
      const filter = { businessid: new ObjectId(businessid) };
      const { documents, paging } = await readPage(
        credentials,
        filter,
        { sort: newestFirst },
        request,
      );
      return { credentials: documents.map(credentialOf), paging };
    },

    async expire(id, at) {
      const isUnset = { $exists: false };
      const document = await credentials.findOneAndUpdate(
        { _id: new ObjectId(id), expiresat: isUnset, revokedat: isUnset },
        { $set: { expiresat: at } },
        { returnDocument: "after" },
      );
      return document && credentialOf(document);
    },

    async revoke(id, at) {
      const document = await credentials.findOneAndUpdate(
        { _id: new ObjectId(id) },
        { $min: { revokedat: at } },
        { returnDocument: "after" },
      );
      return document && credentialOf(document);
    },

    async storeLastUses(usesById) {
      if (usesById.size === 0) return;
      await credentials.bulkWrite(
        [...usesById].map(([id, at]) => ({
          updateOne: { filter: { _id: new ObjectId(id) }, update: { $max: { lastusedat: at } } },
        })),
        { ordered: false },
      );
    },
  };
}

function credentialOf(document: WithId<CredentialDocument>): Credential {
  return {
    id: document._id.toHexString(),
    businessid: document.businessid.toHexString(),
    createdat: document.createdat,
    lastusedat: document.lastusedat ?? null,
    expiresat: document.expiresat ?? null,
    revokedat: document.revokedat ?? null,
  };
}
