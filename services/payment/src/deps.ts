import type {
  BusinessViews,
  Codes,
  EventfulCollection,
  Numbering,
  ParkedPlace,
  Service,
} from "@malipo/platform";
import type { Pdfs } from "@malipo/print";
import type { Accounts } from "./providers/accounts.ts";
import type { MomoReceipts } from "./store/momo-receipts.ts";
import type { ReceiptSheet } from "./pages/receipt/receipt-pdf.ts";
import type { PaymentMethods } from "./store/payment-methods.ts";
import type { PaymentMetrics } from "./metrics.ts";
import type { PromptAllowances } from "./store/phones/prompt-allowances.ts";
import type { PhoneHolds } from "./store/phones/phone-holds.ts";
import type { ProviderSettings } from "./store/provider-settings.ts";
import type { Provider } from "./providers/provider.ts";
import type { AmountsReserved } from "./store/reservations.ts";
import type { SuspenseList } from "./store/suspense.ts";
import type { PaymentLinks } from "./store/payment-links.ts";
import type { Receipts } from "./store/receipts.ts";
import type { Transactions } from "./store/transactions.ts";

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
  readonly receiptPdfs: Pdfs<ReceiptSheet>;
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
