import { AddressRefused } from "./resolver.ts";

/** A text for the receiver's owner. It must reveal nothing about our networks. */
export function problemOf(error: unknown): string {
  if (error instanceof TimedOut || error instanceof Cancelled) return error.message;
  const code = codeOf(error);
  if (code === undefined) return "the connection failed";
  return problems[code] ?? (isTls(code) ? "the certificate is not valid" : "the connection failed");
}

export class TimedOut extends Error {
  override readonly name = "TimedOut";

  constructor(timeoutMs: number) {
    super(`no answer within ${timeoutMs / 1_000} seconds`);
  }
}

/** This service cancelled the request: that says nothing about the receiver. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";

  constructor() {
    super("broken off by a restart of ours");
  }
}

function codeOf(error: unknown): string | undefined {
  if (error instanceof AddressRefused) return error.code;
  if (error instanceof AggregateError) return codeOf(error.errors[0]);
  if (!(error instanceof Error)) return undefined;
  if ("code" in error && typeof error.code === "string") return error.code;
  return error.cause === undefined ? undefined : codeOf(error.cause);
}

const problems: Readonly<Record<string, string>> = {
  ADDRESS_REFUSED: "the name has no public address",
  ENOTFOUND: "the name is not known",
  ENODATA: "the name is not known",
  ETIMEOUT: "the name could not be looked up",
  ESERVFAIL: "the name could not be looked up",
  EREFUSED: "the name could not be looked up",
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was closed",
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  UND_ERR_HEADERS_OVERFLOW: "the answer's headers are too large",
};

function isTls(code: string): boolean {
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO/.test(code);
}
