import type { CustomerView, NewEvent } from "@malipo/contracts";

export interface Customer {
  readonly id: string;
  readonly businessid: string;
  readonly name: string;
  readonly email: string | null;
  readonly phone: string | null;
  readonly createdat: Date;
  readonly updatedat: Date;
}

export interface CustomerDraft {
  readonly name: string;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
}

/** The changes of a PATCH. An absent field stays as it is; null removes an email or a phone. */
export interface CustomerChange {
  readonly name?: string | undefined;
  readonly email?: string | null | undefined;
  readonly phone?: string | null | undefined;
}

export function newCustomer(
  id: string,
  businessid: string,
  draft: CustomerDraft,
  now: Date,
): Customer {
  return {
    id,
    businessid,
    name: draft.name,
    email: draft.email ?? null,
    phone: draft.phone ?? null,
    createdat: now,
    updatedat: now,
  };
}

export function changeCustomer(customer: Customer, change: CustomerChange, now: Date): Customer {
  return {
    ...customer,
    name: change.name ?? customer.name,
    email: change.email === undefined ? customer.email : change.email,
    phone: change.phone === undefined ? customer.phone : change.phone,
    updatedat: now,
  };
}

export function customerCreated(customer: Customer): NewEvent {
  return { type: "customer.created", data: viewCustomer(customer) };
}

export function customerUpdated(customer: Customer): NewEvent {
  return { type: "customer.updated", data: viewCustomer(customer) };
}

export function viewCustomer(customer: Customer): CustomerView {
  return {
    _id: customer.id,
    name: customer.name,
    email: customer.email,
    phone: customer.phone,
    createdat: customer.createdat.toISOString(),
    updatedat: customer.updatedat.toISOString(),
  };
}
