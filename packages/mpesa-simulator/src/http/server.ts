import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Answer, answerWith, type Handler } from "./answer.ts";
import type { RequestRecord } from "../control/list-requests.ts";
import { reply } from "../daraja/replies.ts";
import { readBody } from "./read-body.ts";

export type Routes = Readonly<Record<string, Readonly<Record<string, Handler>>>>;

const bodyMaxBytes = 1024 * 1024;
const pathShownMax = 200;

export interface ServerContext {
  readonly routes: Routes;
  readonly hangMs: () => number;
  readonly now: () => Date;
  readonly onAnswered: (record: RequestRecord) => void;
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
    (request, response) => void exchange(request, response, context),
  );
  server.on("clientError", refuseBrokenRequest);
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

async function exchange(
  request: IncomingMessage,
  response: ServerResponse,
  context: ServerContext,
): Promise<void> {
  const at = context.now();
  const url = addressOf(request);
  const answer = await answerTo(request, url, context.routes).catch(() =>
    // The caller has gone away in the middle, or a bug speaks: either way it is no reason to end.
    answerWith(reply("internalError")),
  );
  context.onAnswered({
    at,
    method: request.method ?? "",
    path: url?.pathname.slice(0, pathShownMax) ?? "",
    status: answer.kind === "reply" ? answer.reply.status : null,
    ...answer.about,
  });
  if (!response.destroyed) give(answer, response, context.hangMs());
}

function addressOf({ url = "" }: IncomingMessage): URL | null {
  return url.startsWith("/") && URL.canParse(`http://simulator${url}`)
    ? new URL(`http://simulator${url}`)
    : null;
}

async function answerTo(
  request: IncomingMessage,
  url: URL | null,
  routes: Routes,
): Promise<Answer> {
  const body = await readBody(request, bodyMaxBytes);
  if (body === null) return answerWith(reply("payloadTooLarge"));
  const path = url?.pathname ?? "";
  if (!url || !Object.hasOwn(routes, path)) return answerWith(reply("unknownPath"));
  const methods = routes[path] ?? {};
  const method = request.method ?? "";
  const handler = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (!handler) return answerWith(reply("methodNotAllowed"));
  return handler({ headers: request.headers, query: url.searchParams, body });
}

function give(answer: Answer, response: ServerResponse, hangMs: number): void {
  switch (answer.kind) {
    case "reply": {
      const { status, type, body } = answer.reply;
      response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(body),
        ...answer.headers,
      });
      response.end(body);
      return;
    }
    case "torn": {
      const { status, type, body } = answer.reply;
      response.writeHead(status, {
        "content-type": type,
        "content-length": Buffer.byteLength(body),
      });
      response.write(body.slice(0, body.length / 2), () => response.destroy());
      return;
    }
    case "cut":
      response.destroy();
      return;
    case "silence": {
      const ending = setTimeout(() => response.destroy(), hangMs);
      response.once("close", () => clearTimeout(ending));
      return;
    }
    case "stream":
      answer.attach(response);
      return;
  }
}

/** Bytes that are no HTTP get an answer all the same. */
function refuseBrokenRequest(_error: Error, socket: Socket): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { body, type } = reply("invalidPayload");
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}
