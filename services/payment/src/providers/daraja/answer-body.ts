import type { PromptAnswer } from "../../domain/transaction/outcome.ts";

/** Reads JSON; undefined for anything else, because the provider also answers HTML or nothing. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A field of an object, found in any letter case; undefined when there is none. */
export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const wanted = name.toLowerCase();
  return Object.entries(value).find(([key]) => key.toLowerCase() === wanted)?.[1];
}

/** A string or a number as text, because the provider mixes them; an empty text for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

const tokenCodes = new Set(["404.001.03", "401.003.01", "400.003.01", "401.002.01"]);
/** The gateway in front of M-Pesa refused the request for its load, so M-Pesa has not seen it. */
const overloadCodes = new Set(["500.003.02", "500.003.03"]);
const detailsMax = 200;

interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

/** Reads an error in Daraja's own shape, or in the shape of the gateway in front of it. */
function readError(body: unknown): ErrorBody {
  const fault = fieldOf(body, "fault");
  return {
    code:
      textOf(fieldOf(body, "errorCode")) || textOf(fieldOf(fieldOf(fault, "detail"), "errorcode")),
    message: textOf(fieldOf(body, "errorMessage")) || textOf(fieldOf(fault, "faultstring")),
  };
}

/** Several codes mean that the token is not valid, and the gateway in front has its own. */
export function isTokenError(body: unknown): boolean {
  const { code, message } = readError(body);
  return (
    tokenCodes.has(code) ||
    /access_?token/i.test(code) ||
    (/invalid access token|token expired/i.test(message) && !code.startsWith("500"))
  );
}

/** Reads from an unsuccessful answer whether the prompt was sent. In doubt, the outcome is unknown. */
export function promptAnswerOfError(status: number, body: unknown): PromptAnswer {
  const { code, message } = readError(body);
  const details = describe(status, code, message);
  // The request did nothing. A fresh token may help, or no token ever will.
  if (isTokenError(body)) return { kind: "not sent", details };
  if (overloadCodes.has(code) || /ratelimit|SpikeArrest|QuotaViolation/i.test(code)) {
    return { kind: "not sent", details };
  }
  if (status === 429) return { kind: "not sent", details };
  // Daraja uses code 500.001.1001 for four meanings, so the message decides.
  if (/wrong credentials|merchant does not exist|unable to lock subscriber/i.test(message)) {
    return { kind: "refused", code, details };
  }
  if (code !== "" && status >= 400 && status < 500) return { kind: "refused", code, details };
  // A firewall in front of M-Pesa refused the request, so M-Pesa has not seen it.
  if (status === 401 || status === 403) return { kind: "not sent", details };
  return { kind: "unknown", details };
}

/** For the business, not for the log. Long digit strings are removed, as they may be phone numbers. */
function describe(status: number, code: string, message: string): string {
  const text = message.replaceAll(/\d{9,}/g, "…").slice(0, detailsMax);
  return text === "" ? `status ${status}` : `${text} (${code || `status ${status}`})`;
}
