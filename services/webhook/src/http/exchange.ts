import type { Dispatcher } from "undici";

const responseMaxBytes = 16 * 1_024;

/** What came of a request: an answer whose body may have broken off, or none at all. */
export type Ended =
  | {
      readonly status: number;
      readonly retryAfter: string | undefined;
      /** Null if it did not come whole, or in its first 16 KB. */
      readonly response: string | null;
    }
  | { readonly status: null; readonly error: unknown };

/** One request and its answer, as the client tells of it: nothing is made that nobody reads. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly startedAtMs = performance.now();
  #onEnd: ((ended: Ended) => void) | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  #brokenOffBy: Error | undefined;
  #status: number | undefined;
  #retryAfter: string | undefined;
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(onEnd: (ended: Ended) => void) {
    this.#onEnd = onEnd;
  }

  /** Ends it here and now, also while it still waits for its connection. */
  breakOff(reason: Error): void {
    this.#brokenOffBy = reason;
    this.#end(null, reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#brokenOffBy) controller.abort(this.#brokenOffBy);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    // What comes before the answer itself says nothing.
    if (status < 200) return;
    this.#status = status;
    this.#retryAfter = lastOf(headers["retry-after"]);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < responseMaxBytes) return;
    this.#end(this.#text());
    // Who talks on talks to nobody.
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

  /** A receiver that took the event and then stumbled over its own answer has taken it. */
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
