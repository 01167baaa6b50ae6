import type { InvoiceStatus } from "@malipo/contracts";
import type { Cents } from "@malipo/core";

/** An invoice as its customer sees it, on a page or on paper: all that is shown, and nothing else. */
export interface InvoicePrint {
  readonly business: string;
  /** Its customers pay nothing to a suspended business, and are told so. */
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
  readonly lines: readonly PrintLine[];
  readonly subtotal: Cents;
  readonly discount: Cents;
  readonly tax: PrintTax | null;
  readonly total: Cents;
  readonly payments: readonly PrintPayment[];
  readonly balance: Cents;
  /** Where the balance can be paid; null when nothing is asked for. */
  readonly payaddress: string | null;
  /** The page's own code, by which it names its PDF. */
  readonly code: string;
  /** When the invoice last changed. */
  readonly asof: Date;
}

export interface PrintLine {
  readonly name: string;
  readonly quantity: number;
  readonly rate: Cents;
  readonly total: Cents;
}

interface PrintTax {
  readonly title: string;
  readonly percent: number;
  readonly amount: Cents;
}

export interface PrintPayment {
  /** Null where nobody knows: it was settled elsewhere. */
  readonly at: Date | null;
  /** How it came, such as "Payment", "Credit" or "M-Pesa UKL7A1B2C3". */
  readonly label: string;
  readonly amount: Cents;
}
