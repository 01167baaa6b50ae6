import type { Dispatcher } from "undici";

const responseMaxBytes = 16 * 1_024;

/** The end of a request: an answer, whose body may be incomplete, or an error. */
export type RequestEnd =
  | {
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Null if the connection ended before the body did; otherwise its first 16 KB. */
      readonly response: string | null;
    }
  | { readonly status: null; readonly error: unknown };

/** One request and its answer. It reads the client's raw callbacks and builds no response object. */
export class Exchange implements Dispatcher.DispatchHandler {
  #onEnd: ((end: RequestEnd) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #cancelledBy: Error | undefined;
  #status: number | undefined;
  #retryAfter: string | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(onEnd: (end: RequestEnd) => void) {
    this.#onEnd = onEnd;
  }

  /** Ends the request at once, even while it waits for its connection. */
  cancel(reason: Error): void {
    this.#cancelledBy = reason;
    this.#end(null, reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelledBy) controller.abort(this.#cancelledBy);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // Informational answers (1xx) come before the real one.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = lastOf(headers["retry-after"]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < responseMaxBytes) return;
    this.#end(this.#text());
    // Nothing reads the rest, so the connection is closed.
    controller.abort(new Error("the answer is too long"));
  }

  onResponseEnd(): void {
    this.#end(this.#text());
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#end(null, error);
  }

  #text(): string {
    const [only, another] = this.#chunks;
    if (!only) return "";
    const bytes = another ? Buffer.concat(this.#chunks) : only;
    return bytes.toString("utf8", 0, Math.min(bytes.length, responseMaxBytes));
  }

  /** With a status the event has arrived, even if the body of the answer is incomplete. */
  #end(response: string | null, error?: unknown): void {
    const onEnd = this.#onEnd;
    this.#onEnd = undefined;
    const status = this.#status;
    if (status === undefined) onEnd?.({ status: null, error });
    else onEnd?.({ status, retryAfter: this.#retryAfter, response });
  }
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return Array.isArray(header) ? header.at(-1) : header;
}
