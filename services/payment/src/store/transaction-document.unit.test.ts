import { cents } from "@malipo/core";
import { describe, expect, it } from "vitest";
import { receiveCallback } from "../domain/transaction/callback.ts";
import { startCall } from "../domain/transaction/decide.ts";
import { newTransaction, noPurpose } from "../domain/transaction/transaction.ts";
import { noVisitor } from "../domain/visitor.ts";
import { readResultCode } from "../providers/daraja/result-codes.ts";
import { fieldsOf, readFields, transactionOf } from "./transaction-document.ts";

const now = new Date("2026-11-21T09:00:00Z");
const ids = { id: "6743f1b2c9e8a45d3f0b7c21", businessid: "6743f1b2c9e8a45d3f0b7c22" };
const draft = { amount: cents(10_000), phone: "254712345678", referenceid: null, title: "Payment" };
const unsent = newTransaction(
  ids.id,
  ids.businessid,
  { ...draft, holder: "holder", ...noVisitor, settingsid: null, ...noPurpose },
  now,
);

describe("the stored form of a transaction", () => {
  it("has the stored words of the previous release", () => {
    const stored = fieldsOf({ ...unsent, unconfirmedreceipt: "UKL7A1B2C3" });
    expect(stored).toMatchObject({ state: "saved", savedat: now, claimedreceipt: "UKL7A1B2C3" });
    for (const word of ["unsentsince", "unconfirmedreceipt"])
      expect(stored).not.toHaveProperty(word);
  });

  it("has the result code of an early callback, and is read back with its result", () => {
    const calling = startCall(unsent, now)?.entity ?? unsent;
    const callback = {
      checkoutrequestid: "ws_CO_1",
      merchantrequestid: "m-1",
      result: "cancelled_by_payer",
      code: "1032",
      amount: null,
      receiptnumber: null,
    } as const;
    const context = { trusted: true, isReceiptTaken: false };
    const waiting = receiveCallback(calling, callback, context, now)?.entity ?? calling;
    const stored = fieldsOf(waiting);
    const { result: _result, ...storedCallback } = callback;
    expect(stored.early).toEqual([{ ...storedCallback, trusted: true }]);
    expect(transactionOf(readFields(ids, stored), readResultCode)).toEqual(waiting);
  });

  it("has the visitor of a page, which the previous release did not store", () => {
    const visitor = { askedfrom: "address", askednetwork: "network" };
    const stored = fieldsOf({ ...unsent, ...visitor });
    expect(transactionOf(readFields(ids, stored), readResultCode)).toMatchObject(visitor);
    const { askedfrom: _address, askednetwork: _network, ...older } = stored;
    expect(transactionOf(readFields(ids, older), readResultCode)).toMatchObject(noVisitor);
  });

  it.each(["saved", "calling", "prompted", "completed", "failed", "cancelled"] as const)(
    "keeps the stored state %s when it is read and written",
    (state) => {
      const read = transactionOf({ ...fieldsOf(unsent), state }, readResultCode);
      expect(fieldsOf(read).state).toBe(state);
    },
  );
});
