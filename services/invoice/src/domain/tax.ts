import type { NewEvent, TaxView } from "@malipo/contracts";
import { type BasisPoints, basisPointsToPercent } from "@malipo/core";

export interface Tax {
  readonly id: string;
  readonly businessid: string;
  readonly title: string;
  readonly rate: BasisPoints;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface TaxDraft {
  readonly title: string;
  readonly rate: BasisPoints;
}

/** The changes of a PATCH. An absent field stays as it is. Invoices keep their copy of the rate. */
export interface TaxChange {
  readonly title?: string | undefined;
  readonly rate?: BasisPoints | undefined;
}

export function newTax(id: string, businessid: string, draft: TaxDraft, now: Date): Tax {
  return { id, businessid, title: draft.title, rate: draft.rate, createdat: now, updatedat: now };
}

export function changeTax(tax: Tax, change: TaxChange, now: Date): Tax {
  return {
    ...tax,
    title: change.title ?? tax.title,
    rate: change.rate ?? tax.rate,
    updatedat: now,
  };
}

export function taxCreated(tax: Tax): NewEvent {
  return { type: "tax.created", data: viewTax(tax) };
}

export function taxUpdated(tax: Tax): NewEvent {
  return { type: "tax.updated", data: viewTax(tax) };
}

export function viewTax(tax: Tax): TaxView {
  return {
    _id: tax.id,
    title: tax.title,
    rate: basisPointsToPercent(tax.rate),
    createdat: tax.createdat.toISOString(),
    updatedat: tax.updatedat.toISOString(),
  };
}
