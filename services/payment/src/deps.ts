import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { PdfRenderer } from "@malipo/print";
import type { Accounts } from "./accounts.ts";
import type { MomoReceipts } from "./momo-receipts.ts";
import type { ReceiptSheet } from "./page/pdf/receipt-pdf.ts";
import type { PaymentMethods } from "./payment-methods.ts";
import type { PaymentMetrics } from "./payment-metrics.ts";
import type { PromptAllowances } from "./pay/prompt-allowances.ts";
import type { PhoneHolds } from "./phone-holds.ts";
import type { ProviderSettings } from "./provider-settings.ts";
import type { Provider } from "./providers/provider.ts";
import type { AmountsReserved } from "./reservations.ts";
import type { SuspenseList } from "./suspense-list.ts";
import type { PaymentLinks } from "./payment-links.ts";
import type { Receipts } from "./receipts.ts";
import type { Transactions } from "./transactions.ts";

/** What handlers work with. */
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
  readonly reservations: AmountsReserved;
  readonly momoReceipts: MomoReceipts;
  readonly suspense: SuspenseList;
  readonly businesses: BusinessViews;
  readonly receipts: Receipts;
  readonly receiptPdfs: PdfRenderer<ReceiptSheet>;
  readonly numbering: Numbering;
  readonly links: PaymentLinks;
  readonly codes: Codes;
  readonly publicUrl: string;
  /** The address under which a transaction's outcome is to be told. */
  readonly callbackUrl: (transactionid: string) => string;
  /** Whether what comes from there is believed at once. */
  readonly isProvider: (address: string) => boolean;
  readonly collections: readonly EventfulCollection[];
  /** Where what failed too often waits for an operator. */
  readonly parked: readonly ParkedPlace[];
}
