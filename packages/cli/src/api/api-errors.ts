import type { FieldProblem } from "@malipo/core";
import type { Location } from "./location.ts";
import { Problem } from "../command-error.ts";

/** An answer as it came, whoever gave it. */
export interface Parsed {
  readonly ok: boolean;
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A refusal in the API's words, with every field's problem that they do not already name. */
export function failureOf({ url, door }: Location, { status, body }: Parsed): Problem {
  const { error, message = error, code } = body;
  if (body["success"] !== false || typeof message !== "string") {
    return new Problem("unreachable", `${url} does not answer like an ${door.name} (${status}).`);
  }
  const fields = fieldsOf(body["fields"])
    .map(({ path, problem }) => (/^[A-Z]/.test(problem) ? problem : `${path} ${problem}`))
    .filter((line) => line !== message);
  return new Problem("refused", sentence(hinted(message, code, { url, door })), fields, status);
}

/** Where the words alone would leave an operator puzzled. */
function hinted(text: string, code: unknown, { url, door }: Pick<Location, "url" | "door">) {
  if (code === "invalid_credential") return `${text}: ${url} does not know this ${door.token}`;
  if (code === "unknown_path") return `${text}: there is no ${door.name} at ${url}`;
  return text;
}

export function unreachable({ url }: Location, error: unknown): Problem {
  return new Problem("unreachable", `Cannot reach ${url}: ${whyUnanswered(error)}. Is it running?`);
}

/** Why a request got no answer, in words. */
export function whyUnanswered(error: unknown): string {
  return isTimeout(error) ? "no answer in time" : reasonOf(error);
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === "TimeoutError";
}

/** fetch says only that it failed; why lies beneath. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  if (typeof cause === "object" && cause !== null && "code" in cause) {
    return words[String(cause.code)] ?? String(cause.code);
  }
  return cause instanceof Error ? cause.message : String(cause);
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "the connection was cut",
  UND_ERR_SOCKET: "the connection was cut",
  ENOTFOUND: "no such host",
  EAI_AGAIN: "the name cannot be looked up",
  EHOSTUNREACH: "no way to the host",
  ENETUNREACH: "no way to the network",
  ETIMEDOUT: "no answer in time",
  UND_ERR_CONNECT_TIMEOUT: "no answer in time",
};

function fieldsOf(fields: unknown): FieldProblem[] {
  return Array.isArray(fields) ? fields.filter(isFieldProblem) : [];
}

function isFieldProblem(field: unknown): field is FieldProblem {
  if (typeof field !== "object" || field === null) return false;
  return "path" in field && "problem" in field && typeof field.problem === "string";
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
