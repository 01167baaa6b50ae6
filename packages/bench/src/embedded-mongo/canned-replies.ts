import { BSON, type Document } from "mongodb";
import { invoiceDocument } from "./invoice-documents.ts";

const headerBytes = 16;
const opReply = 1;
const opMsg = 2013;
const canAwait = 8;

/** A complete reply message without the id of the request that it answers. */
export type Template = Buffer;

export function messageTemplate(body: Document): Template {
  const document = BSON.serialize(body);
  const message = Buffer.alloc(headerBytes + 5 + document.length);
  writeHeader(message, opMsg);
  message.set(document, headerBytes + 5);
  return message;
}

/** The reply to the driver's first message, which uses OP_QUERY, the older form of the protocol. */
export function firstReplyTemplate(body: Document): Template {
  const document = BSON.serialize(body);
  const message = Buffer.alloc(headerBytes + 20 + document.length);
  writeHeader(message, opReply);
  message.writeInt32LE(canAwait, headerBytes);
  message.writeInt32LE(1, headerBytes + 16);
  message.set(document, headerBytes + 20);
  return message;
}

export function replyFrom(template: Template, requestId: number): Buffer {
  const reply = Buffer.allocUnsafe(template.length);
  template.copy(reply);
  reply.writeInt32LE(requestId, 8);
  return reply;
}

function writeHeader(message: Buffer, opCode: number): void {
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(opCode, 12);
}

/** The hello answer of the primary of a one-member replica set, so that drivers use all features. */
export function helloBody(port: number): Document {
  const me = `127.0.0.1:${port}`;
  return {
    helloOk: true,
    isWritablePrimary: true,
    ismaster: true,
    secondary: false,
    setName: "rs0",
    setVersion: 1,
    hosts: [me],
    primary: me,
    me,
    maxBsonObjectSize: 16 * 1024 * 1024,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    logicalSessionTimeoutMinutes: 30,
    minWireVersion: 0,
    maxWireVersion: 21,
    readOnly: false,
    ok: 1,
  };
}

/** The replies by command name; every other command is answered with `ok: 1`. */
export function cannedBodies(namespace: string): Readonly<Record<string, Document>> {
  const document = invoiceDocument(0);
  return {
    find: { cursor: { firstBatch: [document], id: BSON.Long.ZERO, ns: namespace }, ok: 1 },
    insert: { n: 1, ok: 1 },
    update: { n: 1, nModified: 1, ok: 1 },
    delete: { n: 1, ok: 1 },
    findAndModify: { lastErrorObject: { n: 1, updatedExisting: true }, value: document, ok: 1 },
  };
}
