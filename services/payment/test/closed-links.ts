import {
  call,
  dataOf,
  eventually,
  idIn,
  makeBusiness,
  type TestSystem,
  type UsedSystem,
} from "@malipo/testing";
import { expect } from "vitest";

const farFuture = "2099-12-31";

export interface NewInvoice {
  readonly id: string;
  /** The address of its pay page. */
  readonly url: string;
}

/** Creates an invoice of one item, for a new customer. */
export async function newInvoice(
  { api }: Pick<UsedSystem, "api">,
  { rate, title }: { readonly rate: number; readonly title: string },
): Promise<NewInvoice> {
  const customerid = idIn(await api("POST", "/business/customer/create", { name: "Brian Otieno" }));
  const itemid = idIn(await api("POST", "/business/product/create", { title, price: rate }));
  const items = [{ itemid, quantity: 1, rate }];
  const made = await api("POST", "/business/invoice/create", {
    customerid,
    title,
    items,
    duedate: farFuture,
  });
  const { shorturl } = dataOf(made)["paymentlink"] as { shorturl: string };
  return { id: idIn(made), url: shorturl };
}

/** Why a link takes no payment, with the heading of its page in English and Swahili. */
export const closed = {
  suspended: ["No payments at the moment", "Malipo hayapokelewi kwa sasa"],
  expired: ["This link has expired", "Muda wa kiungo hiki umekwisha"],
  cancelled: ["This cannot be paid any more", "Hii haiwezi kulipwa tena"],
  used: ["Already paid", "Tayari imelipwa"],
} as const;

export type Closed = keyof typeof closed;

export async function closedLinks(
  system: UsedSystem,
  phone: string,
): Promise<Readonly<Record<Closed, string>>> {
  const { api } = system;
  const titled = { title: "School fees, third term", amount: 4_500 };
  const [expired, used] = await Promise.all(
    [titled, titled].map(async (link) =>
      dataOf(await api("POST", "/business/payment-link/create", link)),
    ),
  );
  const links = system.database("payment").collection("paymentlinks");
  const code = urlOf(expired).split("/p/")[1];
  await links.updateOne({ code }, { $set: { expiresat: new Date(Date.now() - 1_000) } });
  const cancelled = await newInvoice(system, { rate: 2_500, title: "Internet for November" });
  await api("PATCH", `/business/invoice/update/${cancelled.id}`, { status: "cancelled" });
  await api("POST", "/business/payments/mobile/request", {
    amount: 4_500,
    phone,
    channel: "momo",
    paymentlinkid: used?.["_id"],
  });
  const urls = {
    suspended: await linkOfSuspended(system, system.gateway()),
    expired: urlOf(expired),
    cancelled: cancelled.url,
    used: urlOf(used),
  };
  await eventually(async () => {
    expect(await (await fetch(urls.used)).text()).toContain(closed.used[0]);
  });
  return urls;
}

const urlOf = (link: Record<string, unknown> | undefined) => String(link?.["shorturl"]);

async function linkOfSuspended({ operator }: UsedSystem, gateway: TestSystem): Promise<string> {
  const { businessid, secret } = await makeBusiness(gateway);
  const path = `${gateway.apiUrl}/business/payment-link/create`;
  const made = await call(path, "POST", secret, { title: "Rent", amount: 15_000 });
  const url = urlOf(dataOf(made));
  await operator("POST", `/operator/business/suspend/${businessid}`);
  await eventually(async () => {
    expect(await (await fetch(url)).text()).toContain(closed.suspended[0]);
  });
  return url;
}
