import { eventually, type UsedSystem } from "@malipo/testing";
import { copy, created, pageSize, type Paths, wide } from "./copies.ts";

export async function createPayments(system: UsedSystem): Promise<Paths> {
  const { api } = system;
  const link = await created(
    api("POST", "/business/payment-link/create", {
      title: wide(200),
      description: wide(2_000),
      amount: 150_000,
      reusable: true,
      expiresat: "2099-01-01T00:00:00.000Z",
      referenceid: wide(100),
    }),
  );
  const code = String(link["shorturl"]).split("/").at(-1);
  const attempt = "a".repeat(22);
  await created(
    api(
      "POST",
      `/p/${code}/pay`,
      { attempt, phone: "254712345678", amount: 150_000 },
      { origin: system.gateway().apiUrl },
    ),
  );
  const { receipt, transaction } = await findReceipt(system);
  // From now on payments would be taken with it.
  const method = await created(
    api("POST", "/business/payment-method/create", {
      type: "till",
      shortcode: "1234567",
      storenumber: "7654321",
      consumerkey: "k".repeat(500),
      consumersecret: "s".repeat(500),
      passkey: "p".repeat(500),
    }),
  );
  await copy(system, ["payment", "paymentmethods"], method["_id"]);
  await copy(system, ["payment", "paymentlinks"], link["_id"]);
  await copy(system, ["payment", "transactions"], transaction["_id"], {
    change: { compare: parkedReconciliation },
  });
  await copy(system, ["payment", "receipts"], receipt._id, {
    fieldsOf: (index) => ({ receiptno: `RCT-9${index}` }),
  });
  await addSuspense(system, transaction["_id"]);
  return {
    listPaymentMethods: `/business/payment-method/list?limit=${pageSize}`,
    getPaymentMethod: `/business/payment-method/details/${String(method["_id"])}`,
    listPaymentLinks: `/business/payment-link/list?limit=${pageSize}`,
    getPaymentLink: `/business/payment-link/details/${String(link["_id"])}`,
    getPayAttempt: `/p/${code}/attempt/${attempt}`,
    listTransactions: `/business/transaction/list?limit=${pageSize}`,
    getTransaction: `/business/transaction/details/${String(transaction["_id"])}`,
    listReceipts: `/business/receipt/list?limit=${pageSize}`,
    getReceipt: `/business/receipt/details/${String(receipt._id)}`,
    showReceiptPage: `/r/${String(receipt["code"])}`,
    showReceiptPdf: `/r/${String(receipt["code"])}.pdf`,
    listSuspense: `/operator/suspense/list?limit=${pageSize}`,
    listParkedPayments: "/operator/parked/payment",
  };
}

const parkedReconciliation = {
  at: null,
  from: new Date(),
  resent: 8,
  parkedat: new Date(),
  reason: wide(5_000),
};

async function addSuspense({ database, business }: UsedSystem, transactionid: unknown) {
  const suspense = Array.from({ length: pageSize }, () => ({
    kind: "second_receipt",
    businessid: business.businessid,
    transactionid,
    amount: 15_000_000,
    momoreceiptnumber: wide(100),
    checkoutrequestid: wide(100),
    status: "open",
    assignedto: null,
    note: wide(100),
    createdat: new Date(),
  }));
  await database("payment").collection("suspense").insertMany(suspense);
}

async function findReceipt({ api, database }: UsedSystem) {
  const receipt = await eventually(async () => {
    const [found] = await database("payment").collection("receipts").find().toArray();
    if (!found) throw new Error("no receipt yet");
    return found;
  });
  const details = api("GET", `/business/transaction/details/${String(receipt._id)}`);
  return { receipt, transaction: await created(details) };
}
