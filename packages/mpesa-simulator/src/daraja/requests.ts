import { z } from "zod";
import { parseJson } from "../http/parse-json.ts";
import { parseNairobiTimestamp } from "./nairobi-time.ts";

/** Merchants send numbers as numbers and as strings, and Daraja accepts both. */
function numberOrText(pattern: RegExp) {
  return z.union([z.string(), z.number()]).transform(String).pipe(z.string().regex(pattern));
}

const msisdn = numberOrText(/^254[17]\d{8}$/);
const callbackUrlCharactersMax = 1024;

/** Every request carries these. The password is made from the shortcode, passkey and timestamp. */
const signed = {
  BusinessShortCode: numberOrText(/^\d{5,7}$/),
  Password: z.base64().min(1).max(512),
  Timestamp: numberOrText(/^\d{14}$/).refine((text) => parseNairobiTimestamp(text) !== null),
};

/** Daraja reports the first invalid field in this order. */
const pushRequest = z.object({
  ...signed,
  TransactionType: z.enum(["CustomerPayBillOnline", "CustomerBuyGoodsOnline"]),
  Amount: numberOrText(/^[1-9]\d{0,8}$/).transform(Number),
  PartyA: msisdn,
  PartyB: numberOrText(/^\d{5,7}$/),
  PhoneNumber: msisdn,
  CallBackURL: z.string().max(callbackUrlCharactersMax),
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

export type ParsedRequest<Request> =
  | { readonly ok: true; readonly request: Request }
  /** The first invalid field; null when the body is not a JSON object. */
  | { readonly ok: false; readonly field: string | null };

/** Callback addresses may use plain http on loopback and on `plainHttpHosts` only. */
export function createPushParser(
  plainHttpHosts: readonly string[] = [],
): (body: string) => ParsedRequest<PushRequest> {
  const CallBackURL = pushRequest.shape.CallBackURL.refine((address) =>
    isCallbackAddress(address, plainHttpHosts),
  );
  const schema = pushRequest.extend({ CallBackURL });
  return (body) => parseRequest(schema, body);
}

export function parseQuery(body: string): ParsedRequest<QueryRequest> {
  return parseRequest(queryRequest, body);
}

function parseRequest<Schema extends z.ZodObject>(
  schema: Schema,
  body: string,
): ParsedRequest<z.output<Schema>> {
  const value = parseJson(body);
  if (!isObject(value)) return { ok: false, field: null };
  const parsed = schema.safeParse(value);
  if (parsed.success) return { ok: true, request: parsed.data };
  const field = String(parsed.error.issues[0]?.path[0] ?? "");
  return { ok: false, field: isNullText(value, field) ? "Remarks" : field };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Daraja reports null in a text field under the name Remarks. */
function isNullText(value: Record<string, unknown>, field: string): boolean {
  return ["AccountReference", "TransactionDesc"].includes(field) && value[field] === null;
}

const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function isCallbackAddress(address: string, plainHttpHosts: readonly string[]): boolean {
  if (/\s/.test(address) || /mpesa/i.test(address) || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return true;
  return protocol === "http:" && (loopback.test(hostname) || plainHttpHosts.includes(hostname));
}
