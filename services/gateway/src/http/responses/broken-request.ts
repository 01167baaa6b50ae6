import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { formatFailure } from "@malipo/contracts";
import { fault, type FaultCode } from "@malipo/core";
import { requestIdOf } from "../pipeline/identify.ts";

const faultByParserCode: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** Answers a header `Expect` that is not "100-continue": no server can meet another one. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const requestid = requestIdOf(request);
  const refusal = fault("expectation_failed");
  const body = formatFailure(refusal, "error", requestid);
  response
    .writeHead(refusal.status, {
      "content-type": "application/json; charset=utf-8",
      "content-length": Buffer.byteLength(body),
      "x-request-id": requestid,
      connection: "close",
    })
    .end(body);
}

/**
 * Answers bytes that are not HTTP, in the form of every refusal. Node creates no request for them,
 * so the response is written to the socket.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable) return;
  const refusal = fault(faultByParserCode[error.code ?? ""] ?? "invalid_request");
  const requestid = requestIdOf({ headers: {} });
  const body = formatFailure(refusal, "error", requestid);
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
