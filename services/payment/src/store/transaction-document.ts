import { cents } from "@malipo/core";
import type { StoredRecord } from "@malipo/platform";
import type { Document } from "mongodb";
import type { CallbackFacts, ReportedResult } from "../domain/transaction/outcome.ts";
import type { State, Transaction } from "../domain/transaction/transaction.ts";

/*
 * How a transaction is stored. The stored words below are older than the words of the code. They stay,
 * because the previous release reads the same documents. This file is the only one that knows them:
 *
 *   code                  stored
 *   state "unsent"        state "saved"
 *   unsentsince           savedat
 *   unconfirmedreceipt    claimedreceipt
 *   inSuspense            suspended
 *   early[].result        not stored; it is read from early[].code
 */

type StoredState = "saved" | Exclude<State, "unsent">;
type StoredCallback = Omit<Transaction["early"][number], "result">;

export interface TransactionFields extends Omit<
  Transaction,
  "state" | "unsentsince" | "unconfirmedreceipt" | "inSuspense" | "early"
> {
  readonly state: StoredState;
  readonly savedat: Date;
  readonly claimedreceipt: string | null;
  readonly suspended: boolean;
  readonly early: readonly StoredCallback[];
}

/** A transaction with what the condition of its next write needs. */
export type StoredTransaction = StoredRecord<Transaction>;

/** Translates the provider's result code of a stored callback. */
export type ReadCode = (code: CallbackFacts["code"]) => ReportedResult;

export function storedState(state: State): StoredState {
  return state === "unsent" ? "saved" : state;
}

export function toStored(record: StoredTransaction): StoredRecord<TransactionFields> {
  return { ...record, entity: fieldsOf(record.entity) };
}

export function fromStored(
  record: StoredRecord<TransactionFields>,
  readCode: ReadCode,
): StoredTransaction {
  return { ...record, entity: transactionOf(record.entity, readCode) };
}

export function fieldsOf(transaction: Transaction): TransactionFields {
  const { state, unsentsince, unconfirmedreceipt, inSuspense, early, ...same } = transaction;
  return {
    ...same,
    state: storedState(state),
    savedat: unsentsince,
    claimedreceipt: unconfirmedreceipt,
    suspended: inSuspense,
    early: early.map(({ result: _result, ...callback }) => callback),
  };
}

export function transactionOf(fields: TransactionFields, readCode: ReadCode): Transaction {
  const { state, savedat, claimedreceipt, suspended, early, ...same } = fields;
  return {
    ...same,
    state: state === "saved" ? "unsent" : state,
    unsentsince: savedat,
    unconfirmedreceipt: claimedreceipt,
    inSuspense: suspended,
    early: early.map((callback) => ({ ...callback, result: readCode(callback.code) })),
  };
}

/** Reads the fields of a document. */
export function readFields(
  ids: { readonly id: string; readonly businessid: string },
  fields: Document,
): TransactionFields {
  return {
    ...ids,
    state: fields["state"],
    amount: cents(fields["amount"]),
    phone: fields["phone"],
    phonetail: fields["phonetail"],
    title: fields["title"],
    holder: fields["holder"],
    askedfrom: fields["askedfrom"] ?? null,
    askednetwork: fields["askednetwork"] ?? null,
    referenceid: fields["referenceid"],
    settingsid: fields["settingsid"],
    checkoutrequestid: fields["checkoutrequestid"],
    merchantrequestid: fields["merchantrequestid"],
    responsedescription: fields["responsedescription"],
    momoreceiptnumber: fields["momoreceiptnumber"],
    reason: fields["reason"],
    refusal: fields["refusal"],
    invoiceid: fields["invoiceid"],
    subscriptionid: fields["subscriptionid"],
    customerid: fields["customerid"],
    paymentlinkid: fields["paymentlinkid"],
    invoiceno: fields["invoiceno"] ?? null,
    customername: fields["customername"] ?? null,
    savedat: fields["savedat"],
    calledat: fields["calledat"],
    promptedat: fields["promptedat"],
    announced: fields["announced"],
    early: fields["early"],
    answerlost: fields["answerlost"],
    paidsince: fields["paidsince"],
    claimedreceipt: fields["claimedreceipt"],
    suspended: fields["suspended"],
    assigned: fields["assigned"],
    queries: fields["queries"],
    nextquery: fields["nextquery"],
    bucket: fields["bucket"],
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
    completedat: fields["completedat"],
  };
}
