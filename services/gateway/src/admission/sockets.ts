import type { RequestListener, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that one socket may have in progress. Browsers and HTTP clients have one. */
const inProgressMax = 8;
/** Pipelined requests that wait for those. A socket with more is closed. */
const waitingMax = 64;

interface SocketState {
  /** The responses in progress, each with what has to run when it is over. */
  readonly inProgress: Map<ServerResponse, (() => void)[]>;
  readonly waiting: (() => void)[];
  isStreaming: boolean;
}

const states = new WeakMap<Socket, SocketState>();

function stateOf(socket: Socket): SocketState {
  const known = states.get(socket);
  if (known) return known;
  const state: SocketState = { inProgress: new Map(), waiting: [], isStreaming: false };
  states.set(socket, state);
  socket.once("close", () => {
    state.waiting.length = 0;
    // Node emits no "close" for responses that wait behind another one of the same socket.
    for (const response of state.inProgress.keys()) end(state, response);
  });
  return state;
}

/** What has to run when this response is over. */
function callbacksOf(state: SocketState, response: ServerResponse): (() => void)[] {
  const known = state.inProgress.get(response);
  if (known) return known;
  const callbacks: (() => void)[] = [];
  state.inProgress.set(response, callbacks);
  response.once("close", () => end(state, response));
  return callbacks;
}

function begin(state: SocketState, response: ServerResponse, start: () => void): void {
  callbacksOf(state, response);
  start();
}

function end(state: SocketState, response: ServerResponse): void {
  const callbacks = state.inProgress.get(response);
  if (!callbacks) return;
  state.inProgress.delete(response);
  for (const callback of callbacks) callback();
  state.waiting.shift()?.();
}

/**
 * Puts this in front of the server's handler, so that a request costs nothing more before its turn,
 * and none on a socket that is closed: its other requests are in the same packet.
 */
export function startRequestsInTurn(server: Server): void {
  const handlers = server.listeners("request") as RequestListener[];
  server.removeAllListeners("request");
  server.on("request", (request, response) => {
    startInTurn(request.socket, response, () => {
      for (const handle of handlers) handle(request, response);
    });
  });
}

/**
 * Starts the request at once, or when the requests before it on its socket are answered. Closes a
 * socket that pipelines too many requests, or any behind a stream, which ends minutes later.
 */
function startInTurn(socket: Socket, response: ServerResponse, start: () => void): void {
  if (socket.destroyed) return;
  const state = stateOf(socket);
  if (state.isStreaming || state.waiting.length >= waitingMax) return void socket.destroy();
  if (state.inProgress.size < inProgressMax) return begin(state, response, start);
  state.waiting.push(() => begin(state, response, start));
}

/** Calls back once: when the response was sent, or when its socket closed before that. */
export function whenOver(socket: Socket, response: ServerResponse, callback: () => void): void {
  if (response.closed || socket.destroyed) callback();
  else callbacksOf(stateOf(socket), response).push(callback);
}

/**
 * Reserves the socket for a stream, so that it takes no further request. Returns false if the socket
 * has other requests.
 */
export function beginStream(socket: Socket): boolean {
  const state = stateOf(socket);
  if (state.inProgress.size > 1 || state.waiting.length > 0) return false;
  state.isStreaming = true;
  return true;
}
