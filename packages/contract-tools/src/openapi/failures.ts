import {
  type ErrorField,
  formatFailure,
  isWrite,
  type Route,
  takesBody,
  takesQuery,
} from "@malipo/contracts";
import { fault, type FaultCode, type FaultDetails, faultRules, notFound } from "@malipo/core";
import { toJsonSchema } from "../json-schema/json-schema.ts";
import { failureSchemaWithCodes } from "./failure-schema.ts";
import { standardHeaders, type HeaderName, headerReferences, headers } from "./headers.ts";
import type { OpenApiReference, OpenApiResponse } from "./types.ts";

/** Codes that any request may be answered with. */
const codesOfEveryRoute = [
  "missing_credential",
  "invalid_credential",
  "wrong_environment",
  "business_suspended",
  "rate_limited",
  "internal_error",
  "service_unavailable",
] as const satisfies readonly FaultCode[];

/** Codes that any write may be answered with. */
const codesOfEveryWrite = [
  "invalid_idempotency_key",
  "idempotency_key_in_use",
  "idempotency_key_reused",
  "body_too_large",
  "unsupported_content_type",
  "outcome_unknown",
] as const satisfies readonly FaultCode[];

const descriptions: Readonly<Record<string, string>> = {
  400: "The request is not as described here",
  401: "No credential, or not one of this environment",
  403: "The business is suspended",
  404: "The business has no such record",
  409: "The present state does not allow it, or another request is in the way",
  413: "The body is too large",
  415: "The body is not JSON",
  422: "Understood, but refused for good",
  429: "Too many requests",
  500: "A mistake of ours",
  502: "The payment provider could not be reached; nothing was sent",
  503: "Not available at the moment; nothing was changed",
  504: "No answer in time: it may or may not have happened",
};

function codesOf(route: Route): ReadonlySet<FaultCode> {
  const isWriting = isWrite(route);
  const hasRecordId = Object.keys(route.params).length > 0;
  const updatesRecord = isWriting && (hasRecordId || route.method === "PATCH");
  return new Set<FaultCode>([
    ...(takesBody(route) || takesQuery(route) ? (["invalid_request"] as const) : []),
    ...(takesBody(route) ? (["invalid_json"] as const) : []),
    ...(hasRecordId ? (["invalid_id", "not_found"] as const) : []),
    ...(isWriting ? codesOfEveryWrite : []),
    ...(updatesRecord ? (["changed_meanwhile"] as const) : []),
    ...codesOfEveryRoute,
    ...route.faultCodes,
  ]);
}

/** Groups the codes by HTTP status, in the order of the catalogue of faults. */
function groupByStatus(codes: ReadonlySet<FaultCode>): Map<number, FaultCode[]> {
  const known = (Object.keys(faultRules) as FaultCode[]).filter((code) => codes.has(code));
  return Map.groupBy(known, (code) => faultRules[code].status);
}

const sharedCodes = groupByStatus(new Set<FaultCode>([...codesOfEveryRoute, ...codesOfEveryWrite]));

function sharedResponseName(status: number, errorField: ErrorField): string {
  return errorField === "error" ? `Refusal${status}` : `Refusal${status}InMessage`;
}

/** Responses that many routes share, written once as components. */
export function sharedFailureResponses(errorField: ErrorField): [string, OpenApiResponse][] {
  return [...sharedCodes].map(([status, codes]) => [
    sharedResponseName(status, errorField),
    failureResponse(status, codes, errorField),
  ]);
}

export function failureResponses(route: Route): [string, OpenApiResponse | OpenApiReference][] {
  const { errorField } = route;
  return [...groupByStatus(codesOf(route))].map(([status, codes]) => {
    const isShared = codes.join() === sharedCodes.get(status)?.join();
    return [
      String(status),
      isShared
        ? { $ref: `#/components/responses/${sharedResponseName(status, errorField)}` }
        : failureResponse(status, codes, errorField, detailsOf(route)),
    ];
  });
}

function failureResponse(
  status: number,
  codes: readonly FaultCode[],
  errorField: ErrorField,
  routeDetails: Details = {},
): OpenApiResponse {
  const canBeRetried = codes.some((code) => faultRules[code].retry === "later");
  const headerNames: HeaderName[] = [
    ...standardHeaders,
    ...(canBeRetried ? (["Retry-After"] as const) : []),
    ...(status === 401 ? (["WWW-Authenticate"] as const) : []),
    ...(status === 422 ? (["Idempotent-Replayed"] as const) : []),
  ];
  const examples = codes.map((code) => [
    code,
    {
      summary: faultRules[code].text,
      value: buildFailureExample(code, errorField, routeDetails[code]),
    },
  ]);
  return {
    description: descriptions[status] ?? "Refused",
    headers: headerReferences(headerNames),
    content: {
      "application/json": {
        schema: failureSchemaWithCodes(errorField, codes),
        examples: Object.fromEntries(examples),
      },
    },
  };
}

type Details = { readonly [code in FaultCode]?: FaultDetails };

const defaultDetails: Details = {
  rate_limited: { retryAfterSeconds: 12 },
  phone_resting: { retryAfterSeconds: 120 },
  idempotency_key_in_use: { retryAfterSeconds: 2 },
  provider_refused: { details: "insufficient balance (code 1)" },
  provider_unreachable: { details: "no connection; nothing was sent" },
};

function detailsOf(route: Route): Details {
  const noun = Object.values(route.params)[0] ?? "record";
  return {
    invalid_id: { text: `Invalid ${noun} ID` },
    not_found: { text: notFound(noun).text },
    invalid_request: invalidRequestDetails(route),
  };
}

function invalidRequestDetails(route: Route): FaultDetails {
  if (takesQuery(route)) {
    const problem = "must be a whole number, at least 1";
    return { text: `limit ${problem}`, fields: [{ path: "limit", problem }] };
  }
  const [path] = toJsonSchema(route.body, "input").required ?? [];
  if (path) return { text: `${path} is required`, fields: [{ path, problem: "is required" }] };
  const problem = "must be an object";
  return { text: `The request body ${problem}`, fields: [{ path: "", problem }] };
}

function buildFailureExample(
  code: FaultCode,
  errorField: ErrorField,
  details = defaultDetails[code],
): unknown {
  const requestid = headers["X-Request-Id"].schema.examples[0];
  return JSON.parse(formatFailure(fault(code, details), errorField, requestid));
}
