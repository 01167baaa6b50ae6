import { randomBytes } from "node:crypto";
import { dataOf, type UsedSystem } from "@malipo/testing";

/** A visitor of pay pages, at an address of its own. */
export function visitorOf({ gateway }: UsedSystem, address: string) {
  return {
    pay: async (code: string, phone: string, amount = 100) => {
      const { apiUrl } = gateway();
      const response = await fetch(`${apiUrl}/p/${code}/pay`, {
        method: "POST",
        headers: {
          origin: new URL(apiUrl).origin,
          "content-type": "application/json",
          "x-forwarded-for": address,
        },
        body: JSON.stringify({ attempt: randomBytes(16).toString("base64url"), amount, phone }),
      });
      return response.status;
    },
  };
}

/** Creates a reusable link for any amount, and returns its code. */
export async function openLink({ api }: Pick<UsedSystem, "api">): Promise<string> {
  const made = await api("POST", "/business/payment-link/create", {
    title: "Harambee ya shule",
    reusable: true,
  });
  return String(dataOf(made)["shorturl"]).split("/p/")[1] ?? "";
}

let lastPhone = 254_714_000_000;
export const newPhone = () => String((lastPhone += 1));

/** The simulator's phones that cannot be reached, with what it takes them for. */
export function unreachable(phones: readonly string[]): Record<string, string> {
  return Object.fromEntries(phones.map((phone) => [phone, "254700001037"]));
}

export function countOf(statuses: readonly number[]): Record<number, number> {
  const counted: Record<number, number> = {};
  for (const status of statuses) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}
