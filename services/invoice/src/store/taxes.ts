import { basisPoints } from "@malipo/core";
import { newestFirstIndex, openRecords, type Records, type Service } from "@malipo/platform";
import type { Tax } from "../domain/tax.ts";

export type Taxes = Records<Tax>;

export function openTaxes(service: Service): Promise<Taxes> {
  return openRecords<Tax>(service, "taxes", [newestFirstIndex], (ids, fields) => ({
    ...ids,
    title: fields["title"],
    rate: basisPoints(fields["rate"]),
    createdat: fields["createdat"],
    updatedat: fields["updatedat"],
  }));
}
