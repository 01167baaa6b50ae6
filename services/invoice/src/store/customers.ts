import { newestFirstIndex, openRecords, type Records, type Service } from "@malipo/platform";
import type { Customer } from "../domain/customer.ts";

export type Customers = Records<Customer>;

export function openCustomers(service: Service): Promise<Customers> {
  return openRecords<Customer>(
    service,
    "customers",
    [newestFirstIndex],
    (ids, fields) => ({
      ...ids,
      name: fields["name"],
      email: fields["email"],
      phone: fields["phone"],
      createdat: fields["createdat"],
      updatedat: fields["updatedat"],
    }),
    // A search also finds a phone in its local form: 0712345678 for 254712345678.
    ({ name, email, phone }) => ({
      numbers: [phone, phone && phone.slice(3)],
      texts: [name, email],
    }),
  );
}
