import type { FieldProblem } from "@malipo/core";
import { CommandError } from "../command-error.ts";
import type { Location } from "./location.ts";

/** A response as received, from Malipo's gateway or from any other server. */
export interface ApiResponse {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Turns a refusal into an error with the API's text, and a line for each other invalid field. */
export function toCommandError(location: Location, { status, body }: ApiResponse): CommandError {
  const { url, audience } = location;
  const { error, message = error, code } = body;
  if (body["success"] !== false || typeof message !== "string") {
    return new CommandError(
      "unreachable",
      `${url} does not answer like an ${audience.apiName} (${status}).`,
    );
  }
  const fields = readFieldProblems(body["fields"])
    .map(({ path, problem }) => (/^[A-Z]/.test(problem) ? problem : `${path} ${problem}`))
    .filter((line) => line !== message);
  return new CommandError("refused", endSentence(addHint(message, code, location)), fields, status);
}

/** Adds the address where the API's text alone does not explain the cause. */
function addHint(text: string, code: unknown, { url, audience }: Location): string {
  if (code === "invalid_credential")
    return `${text}: ${url} does not know this ${audience.tokenName}`;
  if (code === "unknown_path") return `${text}: there is no ${audience.apiName} at ${url}`;
  return text;
}

export function createUnreachableError({ url }: Location, error: unknown): CommandError {
  return new CommandError(
    "unreachable",
    `Cannot reach ${url}: ${describeFetchError(error)}. Is it running?`,
  );
}

export function describeFetchError(error: unknown): string {
  return isTimeout(error) ? "no answer in time" : describeCause(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** The error of `fetch` only says that it failed; its cause says why. */
function describeCause(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === "object" && cause !== null && "code" in cause) {
    return causeTexts[String(cause.code)] ?? String(cause.code);
  }
  return cause instanceof Error ? cause.message : String(cause);
}

const causeTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name cannot be looked up",
  EHOSTUNREACH: "no route to the host",
  ENETUNREACH: "no route to the network",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
};

function readFieldProblems(fields: unknown): FieldProblem[] {
  return Array.isArray(fields) ? fields.filter(isFieldProblem) : [];
}

function isFieldProblem(field: unknown): field is FieldProblem {
  if (typeof field !== "object" || field === null) return false;
  return "path" in field && "problem" in field && typeof field.problem === "string";
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
