import { readFileSync } from "node:fs";
import { sendJson } from "./ask.ts";
import { writePrivateJson } from "../folder/folder.ts";
import { UserError } from "../terminal/user-error.ts";

export interface Seeded {
  readonly businessid: string;
  readonly secret: string;
  readonly customerid: string;
  readonly productid: string;
}

interface Addresses {
  readonly apiurl: string;
  readonly operatorurl: string;
  readonly operatorToken: string;
}

const business = { name: "Duka la Mfano", plan: "professional" };
const customer = {
  name: "Achieng Otieno",
  email: "achieng@example.com",
  phone: "254712345678",
};
const product = { title: "Monthly internet, 10 Mbps", price: 2500 };

/**
 * Makes the demo business, its secret, a customer and a product, once for a folder: each step is
 * remembered as soon as it is done, and the next start goes on where this one was stopped.
 */
export async function seedOnce(path: string, addresses: Addresses): Promise<Seeded> {
  const done = readDone(path);
  const remember = (key: keyof Seeded, value: string): string => {
    done[key] = value;
    writePrivateJson(path, done);
    return value;
  };
  const businessid = done.businessid ?? remember("businessid", await createBusiness(addresses));
  const secret = done.secret ?? remember("secret", await issueKey(addresses, businessid));
  const customerid =
    done.customerid ?? remember("customerid", await createOnce(addresses, secret, "customer"));
  const productid =
    done.productid ?? remember("productid", await createOnce(addresses, secret, "product"));
  return { businessid, secret, customerid, productid };
}

function readDone(path: string): Partial<Record<keyof Seeded, string>> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new UserError(
      `${path} cannot be read (${String(error)}); npm start -- --fresh begins anew.`,
    );
  }
}

async function createBusiness({ operatorurl, operatorToken }: Addresses): Promise<string> {
  const answer = await sendJson({
    method: "POST",
    url: `${operatorurl}/operator/business/create`,
    authorization: `Bearer ${operatorToken}`,
    body: business,
  });
  return textAt(answer, "_id");
}

async function issueKey(addresses: Addresses, businessid: string): Promise<string> {
  const answer = await sendJson({
    method: "POST",
    url: `${addresses.operatorurl}/operator/key/issue/${businessid}`,
    authorization: `Bearer ${addresses.operatorToken}`,
    body: {},
  });
  return textAt(answer, "secret");
}

/** The key makes a repeat after a crash answer with the record that the first attempt made. */
async function createOnce(
  { apiurl }: Addresses,
  secret: string,
  noun: "customer" | "product",
): Promise<string> {
  const answer = await sendJson({
    method: "POST",
    url: `${apiurl}/business/${noun}/create`,
    authorization: secret,
    idempotencyKey: `demo-${noun}`,
    body: noun === "customer" ? customer : product,
  });
  return textAt(answer, "_id");
}

function textAt(answer: unknown, field: string): string {
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : {};
  const value: unknown = { ...(data as object) }[field as never];
  if (typeof value !== "string") throw new Error(`The answer has no ${field}.`);
  return value;
}
