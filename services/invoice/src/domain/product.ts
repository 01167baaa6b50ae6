import type { NewEvent, ProductView } from "@malipo/contracts";
import { type Cents, centsToShillings } from "@malipo/core";

export interface Product {
  readonly id: string;
  readonly businessid: string;
  readonly title: string;
  readonly price: Cents;
  readonly description: string | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface ProductDraft {
  readonly title: string;
  readonly price: Cents;
  readonly description?: string | undefined;
}

/** The changes of a PATCH. An absent field stays as it is; null removes the description. */
export interface ProductChange {
  readonly title?: string | undefined;
  readonly price?: Cents | undefined;
  readonly description?: string | null | undefined;
}

export function newProduct(
  id: string,
  businessid: string,
  draft: ProductDraft,
  now: Date,
): Product {
  return {
    id,
    businessid,
    title: draft.title,
    price: draft.price,
    description: draft.description ?? null,
    createdat: now,
    updatedat: now,
  };
}

export function changeProduct(product: Product, change: ProductChange, now: Date): Product {
  return {
    ...product,
    title: change.title ?? product.title,
    price: change.price ?? product.price,
    description: change.description === undefined ? product.description : change.description,
    updatedat: now,
  };
}

export function productCreated(product: Product): NewEvent {
  return { type: "product.created", data: viewProduct(product) };
}

export function productUpdated(product: Product): NewEvent {
  return { type: "product.updated", data: viewProduct(product) };
}

export function viewProduct(product: Product): ProductView {
  return {
    _id: product.id,
    title: product.title,
    price: centsToShillings(product.price),
    description: product.description,
    createdat: product.createdat.toISOString(),
    updatedat: product.updatedat.toISOString(),
  };
}
