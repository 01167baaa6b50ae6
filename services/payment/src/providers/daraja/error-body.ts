import type { PromptAnswer } from "../provider.ts";
import { fieldOf, textOf } from "./json.ts";

const tokenCodes = new Set(["404.001.03", "401.003.01", "400.003.01", "401.002.01"]);
/** The provider's gateway turned it away before anybody looked at it. */
const turnedAwayCodes = new Set(["500.003.02", "500.003.03"]);
const detailsMax = 200;

/** In its own shape or in that of the gateway in front of it. */
interface ErrorBody {
  readonly code: string;
  readonly message: string;
}

function readError(body: unknown): ErrorBody {
  const fault = fieldOf(body, "fault");
  return {
    code:
      textOf(fieldOf(body, "errorCode")) || textOf(fieldOf(fieldOf(fault, "detail"), "errorcode")),
    message: textOf(fieldOf(body, "errorMessage")) || textOf(fieldOf(fault, "faultstring")),
  };
}

/** Several codes say that a token has expired; the gateway in front says it in its own way. */
export function isTokenError(body: unknown): boolean {
  const { code, message } = readError(body);
  return (
    tokenCodes.has(code) ||
    /access_?token/i.test(code) ||
    (/invalid access token|token expired/i.test(message) && !code.startsWith("500"))
  );
}

/** What an answer that is no success means for the prompt. When in doubt, it is unknown. */
export function errorOf(status: number, body: unknown): PromptAnswer {
  const { code, message } = readError(body);
  const details = describe(status, code, message);
  // Nothing was done; whether a fresh token helps, or none ever will, cannot be told apart.
  if (isTokenError(body)) return { kind: "not sent", details };
  if (turnedAwayCodes.has(code) || /ratelimit|SpikeArrest|QuotaViolation/i.test(code)) {
    return { kind: "not sent", details };
  }
  if (status === 429) return { kind: "not sent", details };
  // One code for four meanings, so its words must tell.
  if (/wrong credentials|merchant does not exist|unable to lock subscriber/i.test(message)) {
    return { kind: "refused", code, details };
  }
  if (code !== "" && status >= 400 && status < 500) return { kind: "refused", code, details };
  // A wall in front of the provider: nobody behind it has seen the request.
  if (status === 401 || status === 403) return { kind: "not sent", details };
  return { kind: "unknown", details };
}

/** For the business, not for the log: an address or a phone number is left out all the same. */
function describe(status: number, code: string, message: string): string {
  const said = message.replaceAll(/\d{9,}/g, "…").slice(0, detailsMax);
  return said === "" ? `status ${status}` : `${said} (${code || `status ${status}`})`;
}
