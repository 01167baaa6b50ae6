import type { Language } from "@malipo/contracts";
import type { Cents } from "@malipo/core";
import { words } from "../words.ts";

/** A receipt as its payer sees it, on a page or on paper: all that is shown, and nothing else. */
export interface ReceiptPrint {
  readonly business: string;
  readonly receiptno: string;
  /** What was paid, in words. */
  readonly title: string;
  readonly invoiceno: string | null;
  readonly customer: string | null;
  readonly amount: Cents;
  readonly paidat: Date;
  /** Not all of its digits. */
  readonly phone: string;
  readonly momoreceiptnumber: string | null;
  readonly referenceid: string | null;
  /** The page's own code, by which it names its PDF. */
  readonly code: string;
}

type Fact = readonly [name: string, value: string];

/** What there is to say beside who received how much; what nobody knows is left out. */
export function factsOf(receipt: ReceiptPrint, language: Language): readonly Fact[] {
  const say = words[language];
  const { title, invoiceno, customer, momoreceiptnumber, referenceid } = receipt;
  const facts: readonly (readonly [string, string | null])[] = [
    [say.receiptFor, title],
    [say.receiptInvoice, invoiceno === title ? null : invoiceno],
    [say.receiptCustomer, customer],
    [say.receiptDate, `${moments[language].format(receipt.paidat)}, ${say.eastAfrica}`],
    [say.receiptMethod, "M-Pesa"],
    [say.receiptPhone, receipt.phone],
    [say.mpesaCode, momoreceiptnumber],
    [say.receiptReference, referenceid],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [[name, value] as const]));
}

const moment = {
  timeZone: "Africa/Nairobi",
  dateStyle: "long",
  timeStyle: "short",
  hourCycle: "h23",
} as const;

const moments = {
  en: new Intl.DateTimeFormat("en-GB", moment),
  sw: new Intl.DateTimeFormat("sw-KE", moment),
};
