import type { Socket } from "node:net";
import { failureBody } from "@malipo/contracts";
import { fault, type FaultCode } from "@malipo/core";
import { STATUS_CODES } from "node:http";
import { requestIdOf } from "./identify.ts";

const faultOfParser: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** What is no HTTP never becomes a request; it is answered in the same shape all the same. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const refusal = fault(faultOfParser[error.code ?? ""] ?? "invalid_request");
  const requestid = requestIdOf({ headers: {} });
  const body = failureBody(refusal, "error", requestid);
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestid}`,
      "connection: close",
      "",
      body,
    ].join("\r\n"),
  );
}
