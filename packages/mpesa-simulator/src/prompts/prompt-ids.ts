import { addMs } from "@malipo/core";
import { checkoutRequestId, merchantRequestId, receiptNumber } from "../daraja/ids.ts";
import { createRing } from "../store/bounded-map.ts";

const receiptsMax = 100_000;
/** Every so many prompts get ids of the older form. */
const olderEvery = 4;

export interface NewIds {
  ofPrompt(at: Date, phone: string): { checkoutRequestId: string; merchantRequestId: string };
  ofReceipt(at: Date): string;
}

export function createIds(isTaken: (checkoutRequestId: string) => boolean): NewIds {
  const receipts = createRing<true>(receiptsMax);
  let prompts = 0;
  return {
    ofPrompt: (at, phone) => {
      prompts += 1;
      const form = prompts % olderEvery === 0 ? "older" : "current";
      // Two prompts of one phone in one millisecond would have one id.
      let id = checkoutRequestId(at, phone, form);
      for (let later = 1; isTaken(id); later += 1) {
        id = checkoutRequestId(addMs(at, later), phone, form);
      }
      return { checkoutRequestId: id, merchantRequestId: merchantRequestId(form) };
    },
    ofReceipt: (at) => {
      let receipt = receiptNumber(at);
      while (receipts.get(receipt)) receipt = receiptNumber(at);
      receipts.add(receipt, true);
      return receipt;
    },
  };
}
