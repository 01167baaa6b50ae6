import { Buffer } from "node:buffer";
import { BSON, type Document } from "mongodb";

/** A message of the wire protocol that may carry a command. */
export interface CommandMessage {
  readonly requestId: number;
  readonly database: string;
  /** The name of the command, such as `find`. */
  readonly command: string;
  readonly body: Document;
  /** The statements, or the documents of an insert, that follow the body. */
  readonly sequences: Readonly<Record<string, readonly Document[]>>;
}

const headerBytes = 16;
const opMsg = 2013;
const bodySection = 0;

/** Cuts a stream of bytes into messages: each begins with its length. */
export async function* messagesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let received: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const length = received.readInt32LE(0);
      yield received.subarray(0, length);
      received = received.subarray(length);
    }
  }
}

/** The id of the request that a message of the server answers. */
export function answeredRequest(message: Buffer): number {
  return message.readInt32LE(8);
}

/** Undefined for a message in the older format, which only the first handshake uses. */
export function readCommand(message: Buffer): CommandMessage | undefined {
  if (message.readInt32LE(12) !== opMsg) return undefined;
  const sequences: Record<string, readonly Document[]> = {};
  let body: Document = {};
  let at = headerBytes + 4;
  while (at < message.length) {
    const kind = message.readUInt8(at);
    at += 1;
    const end = at + message.readInt32LE(at);
    if (kind === bodySection) body = BSON.deserialize(message.subarray(at, end));
    else {
      const nameEnd = message.indexOf(0, at + 4);
      const name = message.toString("utf8", at + 4, nameEnd);
      sequences[name] = documentsOf(message.subarray(nameEnd + 1, end));
    }
    at = end;
  }
  const [command = ""] = Object.keys(body);
  return {
    requestId: message.readInt32LE(4),
    database: String(body["$db"]),
    command,
    body,
    sequences,
  };
}

function documentsOf(bytes: Buffer): Document[] {
  const documents: Document[] = [];
  for (let at = 0; at < bytes.length; at += bytes.readInt32LE(at)) {
    documents.push(BSON.deserialize(bytes.subarray(at, at + bytes.readInt32LE(at))));
  }
  return documents;
}

/** The server's reply to a request, made here. */
export function replyTo(requestId: number, reply: Document): Buffer {
  const body = BSON.serialize(reply);
  const prefix = Buffer.alloc(headerBytes + 5);
  prefix.writeInt32LE(prefix.length + body.length, 0);
  prefix.writeInt32LE(requestId, 8);
  prefix.writeInt32LE(opMsg, 12);
  return Buffer.concat([prefix, body]);
}
