import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
  Turn,
} from "@malipo/platform";
import type { PdfRenderer } from "@malipo/print";
import type { Accounts } from "./providers/accounts.ts";
import type { Callbacks } from "./store/callbacks.ts";
import type { MomoReceipts } from "./store/momo-receipts.ts";
import type { ReceiptSheet } from "./pages/receipt/receipt-pdf.ts";
import type { PaymentMethods } from "./store/payment-methods.ts";
import type { PaymentMetrics } from "./metrics.ts";
import type { PromptAllowances } from "./store/phones/prompt-allowances.ts";
import type { PhoneHolds } from "./store/phones/phone-holds.ts";
import type { ProviderSettings } from "./store/provider-settings.ts";
import type { Provider } from "./providers/provider.ts";
import type { Reservations } from "./store/reservations.ts";
import type { Suspense } from "./store/suspense.ts";
import type { PaymentLinks } from "./store/payment-links.ts";
import type { Receipts } from "./store/receipts.ts";
import type { Transactions } from "./store/transactions.ts";

/** The dependencies of handlers, workflows and jobs. */
export interface Deps {
  readonly service: Service;
  readonly metrics: PaymentMetrics;
  readonly transactions: Transactions;
  readonly methods: PaymentMethods;
  readonly settings: ProviderSettings;
  readonly accounts: Accounts;
  readonly provider: Provider;
  readonly phoneHolds: PhoneHolds;
  readonly promptAllowances: PromptAllowances;
  readonly reservations: Reservations;
  readonly momoReceipts: MomoReceipts;
  readonly callbacks: Callbacks;
  readonly suspense: Suspense;
  readonly businesses: BusinessViews;
  readonly receipts: Receipts;
  readonly receiptPdfs: PdfRenderer<ReceiptSheet, Turn>;
  readonly numbering: Numbering;
  readonly links: PaymentLinks;
  readonly codes: Codes;
  readonly publicUrl: string;
  /** The address to which the provider sends the outcome of a transaction. */
  readonly callbackUrl: (transactionid: string) => string;
  /** Callbacks from this address are believed without a query. */
  readonly isProviderAddress: (address: string) => boolean;
  readonly collections: readonly EventfulCollection[];
  /** The collections whose records may be parked: failed too often, waiting for an operator. */
  readonly parked: readonly ParkedPlace[];
}
