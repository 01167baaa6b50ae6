import { calls, type InvoiceStatus, type IssuedFor } from "@malipo/contracts";
import { addMs, dayMs, err, fault, notFound, ok } from "@malipo/core";
import { newId, type RouteHandler, type Service, serveRoutes } from "@malipo/platform";

type IssuedKey = Omit<IssuedFor, "awaited">;

interface Issued {
  readonly id: string;
  readonly key: IssuedKey;
  readonly duedate: Date;
  status: InvoiceStatus;
}

/** The answers of the invoice and payment services, kept in memory, so that a test decides when they change. */
export interface Neighbours {
  readonly invoices: readonly Issued[];
  /** The operations under which payment was asked to prompt a phone. */
  readonly prompts: string[];
  /** Issues the invoice of a key, once. */
  issue(key: IssuedKey, duedate: Date, status?: InvoiceStatus): Issued;
  /** Runs while payment handles a prompt, before it answers. */
  duringPrompt: () => Promise<unknown>;
}

export const promptTransaction = newId();

export async function serveNeighbours(invoice: Service, payment: Service): Promise<Neighbours> {
  const invoices: Issued[] = [];
  const neighbours: Neighbours = {
    invoices,
    prompts: [],
    duringPrompt: async () => undefined,
    issue: ({ subscriptionid, why, of }, duedate, status = "unpaid") => {
      const key = { subscriptionid, why, of };
      const known = findByKey(invoices, key);
      if (known) return known;
      const issued = { id: newId(), key, duedate, status };
      invoices.push(issued);
      return issued;
    },
  };
  const { describeOwedBySubscription, cancelInvoice, findIssuedInvoices } = calls;
  const { issueInvoice, describePayable, promptPayment } = calls;
  await serveRoutes(invoice, invoiceHandlers, neighbours, {
    describeOwedBySubscription,
    cancelInvoice,
    findIssuedInvoices,
    issueInvoice,
    describePayable,
  });
  await serveRoutes(payment, paymentHandlers, neighbours, { promptPayment });
  return neighbours;
}

const invoiceHandlers = {
  describeOwedBySubscription:
    ({ invoices }: Neighbours): RouteHandler<typeof calls.describeOwedBySubscription> =>
    async ({ body: { subscriptionid } }) => {
      const open = invoices.filter(
        ({ key, status }) => key.subscriptionid === subscriptionid && isOpen(status),
      );
      const sums = { owed: 10 * open.length, overdue: false, beingpaid: false };
      return ok({ data: { ...sums, invoices: open.map(viewOwed), more: false } });
    },
  cancelInvoice:
    ({ invoices }: Neighbours): RouteHandler<typeof calls.cancelInvoice> =>
    async ({ body: { invoiceid } }) => {
      const found = invoices.find(({ id }) => id === invoiceid);
      if (!found) return err(notFound("invoice"));
      if (found.status === "paid") return err(fault("conflict", { text: "Invoice is paid" }));
      found.status = "cancelled";
      return ok({ data: { invoiceid, status: "cancelled" } });
    },
  findIssuedInvoices:
    ({ invoices }: Neighbours): RouteHandler<typeof calls.findIssuedInvoices> =>
    async ({ body: { bills } }) =>
      ok({ data: { invoices: bills.map((bill) => viewFound(findByKey(invoices, bill))) } }),
  issueInvoice:
    (neighbours: Neighbours): RouteHandler<typeof calls.issueInvoice> =>
    async ({ body: { key, duedate } }) => {
      const { id, status } = neighbours.issue(key, new Date(duedate));
      const view = { _id: id, invoiceno: "INV-000001", status, balance: 10, duedate };
      const link = { _id: id, code: "S000000000" };
      return ok({ data: { ...view, link, paymentlink: "http://localhost/p/S000000000" } });
    },
  describePayable:
    ({ invoices }: Neighbours): RouteHandler<typeof calls.describePayable> =>
    async ({ businessid, body }) => {
      const found =
        "key" in body
          ? findByKey(invoices, body.key)
          : invoices.find(({ id }) => "invoiceid" in body && id === body.invoiceid);
      return found ? ok({ data: viewPayable(found, businessid) }) : err(notFound("invoice"));
    },
};

const paymentHandlers = {
  promptPayment:
    (neighbours: Neighbours): RouteHandler<typeof calls.promptPayment> =>
    async ({ cause }) => {
      neighbours.prompts.push(cause.operationid ?? "");
      await neighbours.duringPrompt();
      const provider = { checkoutrequestid: "ws_CO_1", merchantrequestid: "1-1" };
      const response = { responsecode: "0", responsedescription: "Success" };
      return ok({ data: { ...provider, ...response, transactionid: promptTransaction } });
    },
};

function findByKey(
  invoices: readonly Issued[],
  { subscriptionid, why, of }: IssuedKey,
): Issued | undefined {
  return invoices.find(
    ({ key }) => key.subscriptionid === subscriptionid && key.why === why && key.of === of,
  );
}

function isOpen(status: InvoiceStatus): boolean {
  return status !== "paid" && status !== "cancelled";
}

function viewFound(invoice: Issued | undefined) {
  if (!invoice) return null;
  const { id, status, duedate } = invoice;
  return { _id: id, status, duedate: duedate.toISOString(), seq: 1 };
}

function viewOwed({ id, key, status, duedate }: Issued) {
  return {
    invoiceid: id,
    invoiceno: "INV-000001",
    title: "Internet",
    status,
    owed: 10,
    reserved: 0,
    duedate: duedate.toISOString(),
    createdat: addMs(duedate, -dayMs).toISOString(),
    issuedfor: key,
    link: { _id: id, code: "S000000000" },
  };
}

function viewPayable(invoice: Issued, businessid: string) {
  const { createdat: _createdat, issuedfor, ...view } = viewOwed(invoice);
  const isPayable = isOpen(invoice.status);
  return {
    ...view,
    businessid,
    customer: { _id: newId(), name: "Asha", phone: "254712345678" },
    link: { ...view.link, status: "active" as const },
    partpayment: false,
    payable: isPayable,
    reason: isPayable ? null : `Invoice is ${invoice.status}`,
    subscriptionid: issuedfor.subscriptionid,
  };
}
