import { z } from "zod";
import { parseJson } from "../http/parse-json.ts";
import { readStamp } from "./nairobi-time.ts";

/** Merchants send numbers both as numbers and as strings, and Daraja takes both. */
function written(pattern: RegExp) {
  return z.union([z.string(), z.number()]).transform(String).pipe(z.string().regex(pattern));
}

const msisdn = written(/^254[17]\d{8}$/);
const callbackUrlMax = 1024;

/** Credentials come with every request: the password is made from the other two and the passkey. */
const signed = {
  BusinessShortCode: written(/^\d{5,7}$/),
  Password: z.base64().min(1).max(512),
  Timestamp: written(/^\d{14}$/).refine((stamp) => readStamp(stamp) !== null),
};

/** Its fields in the order in which they are complained about. */
const pushRequest = z.object({
  ...signed,
  TransactionType: z.enum(["CustomerPayBillOnline", "CustomerBuyGoodsOnline"]),
  Amount: written(/^[1-9]\d{0,8}$/).transform(Number),
  PartyA: msisdn,
  PartyB: written(/^\d{5,7}$/),
  PhoneNumber: msisdn,
  CallBackURL: z.string().max(callbackUrlMax),
  AccountReference: z.string().regex(/^[ -~]{1,12}$/),
  TransactionDesc: z
    .string()
    .regex(/^[ -~]{0,13}$/)
    .default(""),
});

const queryRequest = z.object({
  ...signed,
  CheckoutRequestID: z.string().min(1).max(128),
});

export type PushRequest = z.output<typeof pushRequest>;
export type QueryRequest = z.output<typeof queryRequest>;
export type SignedRequest = Pick<QueryRequest, keyof typeof signed>;

export type Read<Request> =
  | { readonly ok: true; readonly request: Request }
  /** Null: the body is no JSON object at all. */
  | { readonly ok: false; readonly field: string | null };

/** Plain http is for this machine itself, and for the hosts that are named. */
export function pushReader(
  plainHttpHosts: readonly string[] = [],
): (body: string) => Read<PushRequest> {
  const CallBackURL = pushRequest.shape.CallBackURL.refine((address) =>
    mayBeCalled(address, plainHttpHosts),
  );
  const schema = pushRequest.extend({ CallBackURL });
  return (body) => read(schema, body);
}

export function readQuery(body: string): Read<QueryRequest> {
  return read(queryRequest, body);
}

function read<Schema extends z.ZodObject>(schema: Schema, body: string): Read<z.output<Schema>> {
  const given = parseJson(body);
  if (!isObject(given)) return { ok: false, field: null };
  const parsed = schema.safeParse(given);
  if (parsed.success) return { ok: true, request: parsed.data };
  const field = String(parsed.error.issues[0]?.path[0] ?? "");
  return { ok: false, field: hasNullText(given, field) ? "Remarks" : field };
}

function isObject(given: unknown): given is Record<string, unknown> {
  return typeof given === "object" && given !== null && !Array.isArray(given);
}

/** A null where a text belongs is complained about under another name. */
function hasNullText(given: Record<string, unknown>, field: string): boolean {
  return ["AccountReference", "TransactionDesc"].includes(field) && given[field] === null;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function mayBeCalled(address: string, plainHttpHosts: readonly string[]): boolean {
  if (/\s/.test(address) || /mpesa/i.test(address) || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return true;
  return protocol === "http:" && (loopback.test(hostname) || plainHttpHosts.includes(hostname));
}
