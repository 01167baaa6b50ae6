import type { Language } from "@malipo/contracts";
import type { Cents } from "@malipo/core";
import { pageTexts } from "../texts.ts";

/** Everything that a receipt shows to its payer, on the page and in the PDF. */
export interface ReceiptContent {
  readonly business: string;
  readonly receiptno: string;
  /** The purpose of the payment. */
  readonly title: string;
  readonly invoiceno: string | null;
  readonly customer: string | null;
  readonly amount: Cents;
  readonly paidat: Date;
  /** Masked. */
  readonly phone: string;
  readonly momoreceiptnumber: string | null;
  readonly referenceid: string | null;
  /** The code in the address of the page and of the PDF. */
  readonly code: string;
}

type Fact = readonly [name: string, value: string];

/** The rows of the receipt. A row without a value is left out. */
export function receiptFacts(receipt: ReceiptContent, language: Language): readonly Fact[] {
  const texts = pageTexts[language];
  const { title, invoiceno, customer, momoreceiptnumber, referenceid } = receipt;
  const facts: readonly (readonly [string, string | null])[] = [
    [texts.receiptFor, title],
    [texts.receiptInvoice, invoiceno === title ? null : invoiceno],
    [texts.receiptCustomer, customer],
    [texts.receiptDate, `${dateFormats[language].format(receipt.paidat)}, ${texts.eastAfrica}`],
    [texts.receiptMethod, "M-Pesa"],
    [texts.receiptPhone, receipt.phone],
    [texts.mpesaCode, momoreceiptnumber],
    [texts.receiptReference, referenceid],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

const dateStyle = {
  timeZone: "Africa/Nairobi",
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
} as const;

const dateFormats = {
  en: new Intl.DateTimeFormat("en-GB", dateStyle),
  sw: new Intl.DateTimeFormat("sw-KE", dateStyle),
};
