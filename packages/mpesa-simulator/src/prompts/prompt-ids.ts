import { addMs } from "@malipo/core";
import {
  createCheckoutRequestId,
  createMerchantRequestId,
  createReceiptNumber,
} from "../daraja/ids.ts";
import { createBoundedMap } from "../store/bounded-map.ts";

const receiptsMax = 100_000;
/** Every fourth prompt has ids of the older form. */
const olderFormEvery = 4;

/** Creates ids that no kept prompt or recent receipt has. */
export interface PromptIds {
  createPromptIds(
    at: Date,
    phone: string,
  ): { readonly checkoutRequestId: string; readonly merchantRequestId: string };
  createReceipt(at: Date): string;
}

export function createPromptIds(isTaken: (checkoutRequestId: string) => boolean): PromptIds {
  const receipts = createBoundedMap<true>(receiptsMax);
  let promptCount = 0;
  return {
    createPromptIds: (at, phone) => {
      promptCount += 1;
      const form = promptCount % olderFormEvery === 0 ? "older" : "current";
      // Without this, two prompts of one phone in the same millisecond would have the same id.
      let id = createCheckoutRequestId(at, phone, form);
      for (let laterMs = 1; isTaken(id); laterMs += 1) {
        id = createCheckoutRequestId(addMs(at, laterMs), phone, form);
      }
      return { checkoutRequestId: id, merchantRequestId: createMerchantRequestId(form) };
    },
    createReceipt: (at) => {
      let receipt = createReceiptNumber(at);
      while (receipts.get(receipt)) receipt = createReceiptNumber(at);
      receipts.set(receipt, true);
      return receipt;
    },
  };
}
