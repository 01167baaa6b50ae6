import type { InvoiceStatus } from "@malipo/contracts";
import type { Cents } from "@malipo/core";

/** The content of a printed invoice, as HTML or PDF. It is plain data, so that a worker can render it. */
export interface PrintableInvoice {
  readonly business: string;
  /** A suspended business takes no payments, and the invoice says so. */
  readonly suspended: boolean;
  readonly customer: {
    readonly name: string;
    readonly email: string | null;
    readonly phone: string | null;
  };
  readonly invoiceno: string;
  readonly title: string;
  readonly description: string | null;
  readonly status: InvoiceStatus;
  readonly issued: Date;
  readonly due: Date;
  readonly lines: readonly PrintableLine[];
  readonly subtotal: Cents;
  readonly discount: Cents;
  readonly tax: PrintableTax | null;
  readonly total: Cents;
  readonly payments: readonly PrintablePayment[];
  readonly balance: Cents;
  /** The address of the pay link; null if nothing is owed. */
  readonly payaddress: string | null;
  /** The code in the page's address. The link to the PDF is relative to it. */
  readonly code: string;
  /** When the invoice last changed. */
  readonly asof: Date;
}

export interface PrintableLine {
  readonly name: string;
  readonly quantity: number;
  readonly rate: Cents;
  readonly total: Cents;
}

interface PrintableTax {
  readonly title: string;
  readonly percent: number;
  readonly amount: Cents;
}

export interface PrintablePayment {
  /** Null for a payment outside of the service, whose time is unknown. */
  readonly at: Date | null;
  /** The kind of payment, such as "Payment", "Credit" or "M-Pesa UKL7A1B2C3". */
  readonly label: string;
  readonly amount: Cents;
}
