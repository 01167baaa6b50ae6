import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import { limits } from "../limits.ts";
import { encodeReply, frameLength, parseMessage } from "./message.ts";
import type { Message } from "./message.ts";

type SendReply = (reply: Buffer, inSession: boolean) => void;

export type MessageHandler = (message: Message, answer: SendReply) => void;

/* Sums over all connections. */
let receivedBytes = 0;
let unreadBytes = 0;

/**
 * Cuts the bytes of one socket into messages. The handler gets one message at a time, in order, and
 * the next one only after it has replied.
 */
export class Connection {
  private readonly socket: Socket;
  private readonly handle: MessageHandler;
  private unread = 0;
  private chunks: Buffer[] = [];
  private buffered = 0;
  private needed = 4;
  private isBusy = false;
  private isClosed = false;
  /** The largest message that this client may send. */
  messageBytesMax: number;

  constructor(socket: Socket, messageBytesMax: number, handle: MessageHandler) {
    this.socket = socket;
    this.messageBytesMax = messageBytesMax;
    this.handle = handle;
    socket.setNoDelay(true);
    socket.on("data", (chunk: Buffer) => this.receive(chunk));
    socket.on("error", () => this.close());
    socket.on("close", () => this.releaseBuffers());
  }

  close(): void {
    this.releaseBuffers();
    this.socket.destroy();
  }

  private releaseBuffers(): void {
    this.isClosed = true;
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
    if (this.isClosed) return;
    this.chunks.push(chunk);
    this.setBuffered(this.buffered + chunk.length);
    if (receivedBytes > limits.receivedBytesMax) {
      this.close();
      return;
    }
    if (this.isBusy) {
      // A client must not fill the memory while its first message is still being handled.
      if (this.buffered > this.messageBytesMax) this.socket.pause();
      return;
    }
    this.handleBuffered();
  }

  /** Handles the complete messages in the buffer, until one is answered later. */
  private handleBuffered(): void {
    while (!this.isBusy && !this.isClosed && this.buffered >= this.needed) {
      const all = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks);
      let message: Message;
      try {
        const framing = frameLength(all, this.messageBytesMax);
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
      this.isBusy = true;
      this.handle(message, (reply, inSession) => this.answer(message, reply, inSession));
    }
  }

  private answer(message: Message, reply: Buffer, inSession: boolean): void {
    this.isBusy = false;
    if (this.isClosed) return;
    if (!message.moreToCome) {
      this.socket.write(encodeReply(message, reply, inSession));
      if (this.socket.writableNeedDrain) {
        this.waitForDrain();
        return;
      }
    }
    this.continueReading();
  }

  /** Reads no further message from a client that does not read its replies. */
  private waitForDrain(): void {
    this.isBusy = true;
    this.setUnread(this.socket.writableLength);
    if (unreadBytes > limits.unreadRepliesBytesMax) {
      this.close();
      return;
    }
    this.socket.once("drain", () => {
      this.isBusy = false;
      this.setUnread(0);
      if (!this.isClosed) this.continueReading();
    });
  }

  private continueReading(): void {
    if (this.socket.isPaused()) this.socket.resume();
    if (this.buffered >= this.needed) setImmediate(() => this.handleBuffered());
  }
}
