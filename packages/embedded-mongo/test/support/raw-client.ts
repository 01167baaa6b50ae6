import { Buffer } from "node:buffer";
import { connect } from "node:net";
import type { Socket } from "node:net";
import { Binary, deserialize, Long, serialize } from "bson";
import type { Document } from "bson";

/**
 * Speaks the wire protocol on bytes, so that a test can send messages that no driver would send.
 */
export class RawClient {
  readonly socket: Socket;
  private received = Buffer.alloc(0);
  private waiting: (() => void) | undefined;
  closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on("data", (chunk) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.waiting?.();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.closed = true;
      this.waiting?.();
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect(port, "127.0.0.1");
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawClient(socket);
  }

  send(bytes: Uint8Array): void {
    this.socket.write(bytes);
  }

  async command(command: Document, db = "test"): Promise<Document> {
    this.send(opMsg({ ...command, $db: db }));
    return this.reply();
  }

  /** The next reply. Rejects if the connection is closed. */
  async reply(): Promise<Document> {
    for (;;) {
      if (this.received.length >= 4 && this.received.length >= this.received.readInt32LE(0)) {
        const length = this.received.readInt32LE(0);
        const legacy = this.received.readInt32LE(12) === 1;
        const body = this.received.subarray(legacy ? 36 : 21, length);
        this.received = this.received.subarray(length);
        return deserialize(body, { promoteValues: true });
      }
      if (this.closed) throw new Error("the server closed the connection");
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
    }
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) {
      await new Promise<void>((resolve) => {
        this.waiting = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }
}

export function opMsg(body: Document, flags = 0): Buffer {
  return frame(2013, Buffer.concat([uint32(flags), Buffer.from([0]), serialize(body)]));
}

export function frame(opcode: number, payload: Uint8Array): Buffer {
  const header = Buffer.alloc(16);
  header.writeInt32LE(16 + payload.length, 0);
  header.writeInt32LE(1, 4);
  header.writeInt32LE(opcode, 12);
  return Buffer.concat([header, payload]);
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

export function retryable(session: number, number: number) {
  return {
    lsid: { id: new Binary(Buffer.alloc(16, session), Binary.SUBTYPE_UUID) },
    txnNumber: Long.fromNumber(number),
  };
}
