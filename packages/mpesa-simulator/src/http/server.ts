import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { isHostAmong } from "@malipo/core";
import { type Answer, answerWith, type Handler, type RequestSubject } from "./answer.ts";
import { readBody } from "./read-body.ts";
import type { Reply } from "./reply.ts";

/** Handlers by path, then by method. */
export type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

const bodyMaxBytes = 1024 * 1024;
/** Longer paths are cut in request records. */
const pathCharactersMax = 200;

/** One request as received and answered; the status is null when no response was sent. */
export interface RequestRecord extends RequestSubject {
  readonly at: Date;
  readonly method: string;
  readonly path: string;
  readonly status: number | null;
}

/** The errors that the server itself answers with; their bodies have the form of Daraja's. */
type ServerError =
  | "internalError"
  | "invalidPayload"
  | "methodNotAllowed"
  | "payloadTooLarge"
  | "unknownHost"
  | "unknownPath";

export interface ServerContext {
  readonly routes: Routes;
  /** The names under which clients reach this server. */
  readonly hostNames: readonly string[];
  readonly buildError: (error: ServerError) => Reply;
  /** How long a request without a response keeps its connection. */
  readonly hangMs: () => number;
  readonly now: () => Date;
  readonly recordRequest: (record: RequestRecord) => void;
}

export interface RunningServer {
  readonly port: number;
  close(): Promise<void>;
}

export async function serve(
  { host, port }: { host: string; port: number },
  context: ServerContext,
): Promise<RunningServer> {
  const server = createServer(
    { headersTimeout: 10_000, requestTimeout: 30_000, keepAliveTimeout: 60_000 },
    (request, response) => void handleExchange(request, response, context),
  );
  server.on("clientError", (_error, socket: Socket) =>
    rejectMalformedRequest(socket, context.buildError("invalidPayload")),
  );
  server.listen(port, host);
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => closeServer(server),
  };
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

async function handleExchange(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const at = context.now();
  const url = parseAddress(request);
  const answer = await answerRequest(request, url, context).catch(() =>
    // The caller disconnected while sending, or a handler has a bug. Neither may end the process.
    answerWith(context.buildError("internalError")),
  );
  context.recordRequest({
    at,
    method: request.method ?? "",
    path: url?.pathname.slice(0, pathCharactersMax) ?? "",
    status: answer.kind === "reply" ? answer.reply.status : null,
    ...answer.subject,
  });
  if (!response.destroyed) sendAnswer(answer, response, context.hangMs());
}

function parseAddress({ url = "" }: IncomingMessage): URL | null {
  return url.startsWith("/") && URL.canParse(`http://simulator${url}`)
    ? new URL(`http://simulator${url}`)
    : null;
}

async function answerRequest(
  request: IncomingMessage,
  url: URL | null,
  { routes, hostNames, buildError }: ServerContext,
): Promise<Answer> {
  if (!isHostAmong(request.headers.host, hostNames)) {
    // The body is not read, so the connection cannot be used again.
    return {
      kind: "reply",
      reply: buildError("unknownHost"),
      headers: { connection: "close" },
    };
  }
  const body = await readBody(request, bodyMaxBytes);
  if (body === null) return answerWith(buildError("payloadTooLarge"));
  const path = url?.pathname ?? "";
  if (!url || !Object.hasOwn(routes, path)) return answerWith(buildError("unknownPath"));
  const methods = routes[path] ?? {};
  const method = request.method ?? "";
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) return answerWith(buildError("methodNotAllowed"));
  return handler({ headers: request.headers, query: url.searchParams, body });
}

function sendAnswer(answer: Answer, response: ServerResponse, hangMs: number): void {
  switch (answer.kind) {
    case "reply":
      response.writeHead(answer.reply.status, { ...bodyHeaders(answer.reply), ...answer.headers });
      response.end(answer.reply.body);
      return;
    case "torn": {
      const { status, body } = answer.reply;
      response.writeHead(status, bodyHeaders(answer.reply));
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    }
    case "cut":
      response.destroy();
      return;
    case "silence": {
      const closing = setTimeout(() => response.destroy(), hangMs);
      response.once("close", () => clearTimeout(closing));
      return;
    }
    case "stream":
      answer.attach(response);
      return;
  }
}

function bodyHeaders({ type, body }: Reply): Record<string, string | number> {
  return { "content-type": type, "content-length": Buffer.byteLength(body) };
}

/** Bytes that are not HTTP get an error response too. */
function rejectMalformedRequest(socket: Socket, { type, body }: Reply): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
