import type { Service } from "@malipo/platform";

export interface OperatorCall {
  readonly requestid: string;
  readonly method: string;
  readonly url: string;
  readonly address: string;
}

export interface AuditLog {
  insert(
    call: OperatorCall & ({ readonly body: string } | { readonly refused: string }),
  ): Promise<void>;
}

/** One document for each call of the operator API, and one for each refused credential. */
export function openAuditLog({ store, clock }: Pick<Service, "store" | "clock">): AuditLog {
  const collection = store.db.collection("audit");
  return {
    insert: async (call) => void (await collection.insertOne({ at: clock(), ...call })),
  };
}
