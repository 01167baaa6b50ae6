import { Buffer } from "node:buffer";
import { clusterTimeFields } from "./cluster-time.ts";
import { encodeDocument } from "../document-codec.ts";
import type { Document } from "../document-codec.ts";
import { ElementCursor, validateDocument } from "../bson/raw-document.ts";
import type { MongoError } from "../errors.ts";
import { limits } from "../limits.ts";

const opcode = { reply: 1, query: 2004, message: 2013 } as const;

const headerBytes = 16;
const nothing = Buffer.alloc(0);
const flag = { checksumPresent: 1, moreToCome: 2 } as const;
/** Bits below 16 must be understood; those above may be ignored. */
const knownRequiredFlags = flag.checksumPresent | flag.moreToCome;

export type Message = {
  readonly requestId: number;
  readonly legacy: boolean;
  /** The sender expects no reply. */
  readonly moreToCome: boolean;
  readonly body: Buffer;
  readonly sequences: ReadonlyMap<string, readonly Buffer[]>;
  /** The collection that an OP_QUERY was sent to. */
  readonly namespace: string | undefined;
};

/**
 * A frame that cannot be read. The connection is closed, because the next frame cannot be found.
 */
class BrokenFrame extends Error {}

export type Framing = { readonly length: number } | "incomplete";

/** The length of the frame that begins the buffer. */
export function frameLength(buffer: Buffer, lengthMax: number): Framing {
  if (buffer.length < 4) return "incomplete";
  const length = buffer.readInt32LE(0);
  if (length < headerBytes || length > lengthMax) {
    throw new BrokenFrame(`message length ${length}`);
  }
  return buffer.length < length ? "incomplete" : { length };
}

const noSequences: ReadonlyMap<string, readonly Buffer[]> = new Map();

export function parseMessage(frame: Buffer): Message {
  const requestId = frame.readInt32LE(4);
  const kind = frame.readInt32LE(12);
  if (kind === opcode.message) return parseOpMsg(frame, requestId);
  if (kind === opcode.query) return parseOpQuery(frame, requestId);
  throw new BrokenFrame(`opcode ${kind}`);
}

function parseOpMsg(frame: Buffer, requestId: number): Message {
  if (frame.length < headerBytes + 4 + 1 + 5) throw new BrokenFrame("OP_MSG too short");
  const flags = frame.readUInt32LE(headerBytes);
  if ((flags & 0xffff & ~knownRequiredFlags) !== 0) throw new BrokenFrame(`flags ${flags}`);
  const end = frame.length - ((flags & flag.checksumPresent) === 0 ? 0 : 4);
  let body: Buffer | undefined;
  let sequences: Map<string, readonly Buffer[]> | undefined;
  let at = headerBytes + 4;
  while (at < end) {
    const kind = frame[at]!;
    const size = sectionSize(frame, at + 1, end);
    if (kind === 0) {
      if (body !== undefined) throw new BrokenFrame("two bodies");
      body = frame.subarray(at + 1, at + 1 + size);
    } else if (kind === 1) {
      sequences ??= new Map();
      readSequence(frame.subarray(at + 1, at + 1 + size), sequences);
    } else {
      throw new BrokenFrame(`section kind ${kind}`);
    }
    at += 1 + size;
  }
  if (body === undefined) throw new BrokenFrame("no body");
  const moreToCome = (flags & flag.moreToCome) !== 0;
  return {
    requestId,
    legacy: false,
    moreToCome,
    body,
    sequences: sequences ?? noSequences,
    namespace: undefined,
  };
}

function sectionSize(frame: Buffer, at: number, end: number): number {
  if (at + 4 > end) throw new BrokenFrame("section without a length");
  const size = frame.readInt32LE(at);
  if (size < 5 || at + size > end) throw new BrokenFrame(`section length ${size}`);
  return size;
}

function readSequence(section: Buffer, sequences: Map<string, readonly Buffer[]>): void {
  const nameEnd = section.indexOf(0, 4);
  if (nameEnd < 0) throw new BrokenFrame("document sequence without a name");
  const name = section.toString("utf8", 4, nameEnd);
  if (sequences.has(name)) throw new BrokenFrame(`two sequences named ${name}`);
  const documents: Buffer[] = [];
  let at = nameEnd + 1;
  while (at < section.length) {
    const size = sectionSize(section, at, section.length);
    documents.push(section.subarray(at, at + size));
    at += size;
    if (documents.length > limits.writeBatchMax) throw new BrokenFrame("too many documents");
  }
  sequences.set(name, documents);
}

/** Drivers send OP_QUERY only for the handshake with a server that they do not know yet. */
function parseOpQuery(frame: Buffer, requestId: number): Message {
  const nameEnd = frame.indexOf(0, headerBytes + 4);
  if (nameEnd < 0 || nameEnd + 9 + 5 > frame.length) throw new BrokenFrame("OP_QUERY too short");
  const at = nameEnd + 9;
  const size = sectionSize(frame, at, frame.length);
  const namespace = frame.toString("utf8", headerBytes + 4, nameEnd);
  if (!namespace.endsWith(".$cmd")) throw new BrokenFrame("OP_QUERY that is not a command");
  const body = frame.subarray(at, at + size);
  return { requestId, legacy: true, moreToCome: false, body, sequences: noSequences, namespace };
}

/** Checks the documents that `parseMessage` only cut out of the frame. */
export function validateMessage(message: Message): void {
  validateDocument(message.body);
  for (const documents of message.sequences.values()) {
    for (const document of documents) validateDocument(document);
  }
}

let lastRequestId = 0;

/** With `inSession`, the reply carries the cluster times that causally consistent reads need. */
export function encodeReply(message: Message, reply: Buffer, inSession: boolean): Buffer {
  lastRequestId = (lastRequestId + 1) & 0x7fffffff;
  return message.legacy
    ? encodeLegacyReply(message.requestId, reply)
    : encodeOpMsg(message.requestId, reply, inSession);
}

function encodeOpMsg(responseTo: number, body: Buffer, inSession: boolean): Buffer {
  const times = inSession ? clusterTimeFields() : nothing;
  const start = headerBytes + 5;
  const frame = Buffer.allocUnsafe(start + body.length + times.length);
  writeHeader(frame, responseTo, opcode.message);
  frame.writeUInt32LE(0, headerBytes);
  frame[headerBytes + 4] = 0;
  body.copy(frame, start);
  if (!inSession) return frame;
  frame.writeInt32LE(body.length + times.length, start);
  const at = start + body.length - 1;
  times.copy(frame, at);
  frame[at + times.length] = 0;
  return frame;
}

function encodeLegacyReply(responseTo: number, body: Buffer): Buffer {
  const frame = Buffer.alloc(headerBytes + 20 + body.length);
  writeHeader(frame, responseTo, opcode.reply);
  frame.writeInt32LE(8, headerBytes);
  frame.writeInt32LE(1, headerBytes + 16);
  body.copy(frame, headerBytes + 20);
  return frame;
}

function writeHeader(frame: Buffer, responseTo: number, kind: number): void {
  frame.writeInt32LE(frame.length, 0);
  frame.writeInt32LE(lastRequestId, 4);
  frame.writeInt32LE(responseTo, 8);
  frame.writeInt32LE(kind, 12);
}

export function encodeBody(reply: Document): Buffer {
  return encodeDocument(reply);
}

/** The reply to a failed command. */
export function errorDocument(error: MongoError): Document {
  return {
    ok: 0,
    errmsg: error.message,
    code: error.code,
    codeName: error.codeName,
    ...error.extra,
  };
}

/** The first field of a command names it. */
export function commandName(body: Buffer): string {
  const cursor = new ElementCursor(body);
  return cursor.next() ? cursor.name : "";
}
