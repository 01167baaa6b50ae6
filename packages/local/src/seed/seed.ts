import { readFileSync } from "node:fs";
import { sendJson } from "./send-json.ts";
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
 * Creates the demo business, its secret, a customer and a product, once for each folder. Each
 * finished step is stored at once, so the next start continues after an interruption.
 */
export async function seedOnce(path: string, addresses: Addresses): Promise<Seeded> {
  const finished = readFinishedSteps(path);
  const store = (key: keyof Seeded, value: string): string => {
    finished[key] = value;
    writePrivateJson(path, finished);
    return value;
  };
  const businessid = finished.businessid ?? store("businessid", await createBusiness(addresses));
  const secret = finished.secret ?? store("secret", await issueKey(addresses, businessid));
  const customerid =
    finished.customerid ?? store("customerid", await createOnce(addresses, secret, "customer"));
  const productid =
    finished.productid ?? store("productid", await createOnce(addresses, secret, "product"));
  return { businessid, secret, customerid, productid };
}

function readFinishedSteps(path: string): Partial<Record<keyof Seeded, string>> {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return {};
    throw new UserError(
      `${path} cannot be read (${String(error)}); npm start -- --fresh deletes the data and starts again.`,
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
  return readTextField(answer, "_id");
}

async function issueKey(addresses: Addresses, businessid: string): Promise<string> {
  const answer = await sendJson({
    method: "POST",
    url: `${addresses.operatorurl}/operator/key/issue/${businessid}`,
    authorization: `Bearer ${addresses.operatorToken}`,
    body: {},
  });
  return readTextField(answer, "secret");
}

/** With the same idempotency key, a repeat after a crash returns the record of the first attempt. */
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
  return readTextField(answer, "_id");
}

function readTextField(answer: unknown, field: string): string {
  const data = typeof answer === "object" && answer !== null && "data" in answer ? answer.data : {};
  const value: unknown = { ...(data as object) }[field as never];
  if (typeof value !== "string") throw new Error(`The answer has no ${field}.`);
  return value;
}
