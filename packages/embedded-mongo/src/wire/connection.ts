import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { limits } from "../limits.ts";
import { encodeReply, frameLength, parseMessage } from "./message.ts";
import type { Message } from "./message.ts";

type Answer = (reply: Buffer, inSession: boolean) => void;

export type Handler = (message: Message, answer: Answer) => void;

/* Of all connections together. */
let receivedBytes = 0;
let unreadBytes = 0;

/**
 * Cuts the bytes of one socket into messages and hands them over one at a time, in order: the next
 * only when the last is answered.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly handle: Handler;
  private unread = 0;
  private chunks: Buffer[] = [];
  private buffered = 0;
  private needed = 4;
  private busy = false;
  private closed = false;

  constructor(socket: Socket, handle: Handler) {
    this.socket = socket;
    this.handle = handle;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", () => this.close());
    socket.on("close", () => this.forget());
  }

  close(): void {
    this.forget();
    this.socket.destroy();
  }

  private forget(): void {
    this.closed = true;
    this.chunks = [];
    this.setBuffered(0);
    this.setUnread(0);
  }

  private setUnread(bytes: number): void {
    unreadBytes += bytes - this.unread;
    this.unread = bytes;
  }

  private setBuffered(bytes: number): void {
    receivedBytes += bytes - this.buffered;
    this.buffered = bytes;
  }

  private receive(chunk: Buffer): void {
    if (this.closed) return;
    this.chunks.push(chunk);
    this.setBuffered(this.buffered + chunk.length);
    if (receivedBytes > limits.receivedBytesMax) {
      this.close();
      return;
    }
    if (this.busy) {
      // Nobody may send without end while not even the first is answered.
      if (this.buffered > limits.messageBytesMax) this.socket.pause();
      return;
    }
    this.drain();
  }

  /** Handles every whole message there is, until one has to be waited for. */
  private drain(): void {
    while (!this.busy && !this.closed && this.buffered >= this.needed) {
      const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      let message: Message;
      try {
        const framing = frameLength(all);
        if (framing === "incomplete") {
          this.chunks = [all];
          this.needed = all.length < 4 ? 4 : all.readInt32LE(0);
          return;
        }
        const rest = all.subarray(framing.length);
        this.chunks = rest.length === 0 ? [] : [rest];
        this.setBuffered(rest.length);
        this.needed = 4;
        message = parseMessage(all.subarray(0, framing.length));
      } catch {
        this.close();
        return;
      }
      this.busy = true;
      this.handle(message, (reply, inSession) => this.answer(message, reply, inSession));
    }
  }

  private answer(message: Message, reply: Buffer, inSession: boolean): void {
    this.busy = false;
    if (this.closed) return;
    if (!message.moreToCome) {
      this.socket.write(encodeReply(message, reply, inSession));
      if (this.socket.writableNeedDrain) {
        this.waitForReader();
        return;
      }
    }
    this.goOn();
  }

  /** Who does not read its answers is not asked what else it wants. */
  private waitForReader(): void {
    this.busy = true;
    this.setUnread(this.socket.writableLength);
    if (unreadBytes > limits.unreadRepliesBytesMax) {
      this.close();
      return;
    }
    this.socket.once("drain", () => {
      this.busy = false;
      this.setUnread(0);
      if (!this.closed) this.goOn();
    });
  }

  private goOn(): void {
    if (this.socket.isPaused()) this.socket.resume();
    if (this.buffered >= this.needed) setImmediate(() => this.drain());
  }
}
