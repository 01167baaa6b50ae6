import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { formatFailure } from "@malipo/contracts";
import { fault, type FaultCode } from "@malipo/core";
import { requestIdOf } from "../pipeline/identify.ts";
import { jsonHeaders } from "./json-headers.ts";

const faultByParserCode: Readonly<Record<string, FaultCode>> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};

/** The answers of each connection that are not complete, in the order of their requests. */
const openAnswers = new WeakMap<Socket, Set<ServerResponse>>();

/** Connections whose broken bytes were noticed. The parser reports all bytes after them too. */
const broken = new WeakSet<Socket>();

/** Keeps the answers in progress, so that no refusal is written into one of them. */
export function trackAnswers(server: Server): void {
  server.on("request", ({ socket }, response) => {
    const open = openAnswers.get(socket) ?? new Set();
    openAnswers.set(socket, open.add(response));
    response.once("close", () => open.delete(response));
  });
}

/** Answers a header `Expect` that is not "100-continue": no server can meet another one. */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  const requestid = requestIdOf(request);
  const refusal = fault("expectation_failed");
  const body = formatFailure(refusal, "error", requestid);
  response.writeHead(refusal.status, refusalHeaders(body, requestid)).end(body);
}

/**
 * Answers bytes that are not HTTP, in the form of every refusal. Node creates no request for them, so
 * the refusal is written to the socket, behind the answers to the requests before them.
 */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === "ECONNRESET" || !socket.writable || broken.has(socket)) return;
  broken.add(socket);
  const answers = [...(openAnswers.get(socket) ?? [])];
  // Only the newest request can be incomplete: then the broken bytes are in its body.
  const own = answers.at(-1)?.req.complete === false ? answers.pop() : undefined;
  const previous = answers.at(-1);
  const code = faultByParserCode[error.code ?? ""] ?? "invalid_request";
  if (previous) previous.once("close", () => refuseBytes(socket, code, own));
  else refuseBytes(socket, code, own);
}

/** `own` is the answer to the request that the broken bytes belong to. */
function refuseBytes(socket: Socket, code: FaultCode, own: ServerResponse | undefined): void {
  if (!socket.writable) return;
  if (own?.headersSent) {
    if (own.writableFinished) socket.end();
    else own.once("close", () => socket.end());
    return;
  }
  const refusal = fault(code);
  const requestid = requestIdOf({ headers: {} });
  const body = formatFailure(refusal, "error", requestid);
  const headers = Object.entries(refusalHeaders(body, requestid));
  socket.end(
    [
      `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
      ...headers.map(([name, value]) => `${name}: ${value}`),
      "",
      body,
    ].join("\r\n"),
  );
}

function refusalHeaders(body: string, requestid: string) {
  return {
    ...jsonHeaders,
    "content-length": Buffer.byteLength(body),
    "x-request-id": requestid,
    connection: "close",
  };
}
