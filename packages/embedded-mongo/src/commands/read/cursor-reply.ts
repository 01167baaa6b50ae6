import { Buffer } from "node:buffer";
import { limits } from "../../limits.ts";
import { takeBatch } from "../../cursors.ts";
import type { Cursor, DocumentStream } from "../../cursors.ts";
import { encodeDocument } from "../../document-codec.ts";
import type { Document } from "../../document-codec.ts";
import type { Call } from "../command.ts";
import { cursorBatchSize } from "../query-options.ts";

const ok = Buffer.from([0x01, 0x6f, 0x6b, 0x00, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0x00]);

/** Builds `{ cursor: { <field>: [...], id, ns }, ok: 1 }` without decoding the documents. */
function cursorReply(
  field: "firstBatch" | "nextBatch",
  documents: readonly Buffer[],
  id: bigint,
  namespace: string,
): Buffer {
  const indexes = arrayNames(documents.length);
  const arrayBytes = documents.reduce((sum, one) => sum + one.length, 5 + indexes.bytes);
  const nsBytes = Buffer.byteLength(namespace);
  const cursorBytes =
    4 + (1 + field.length + 1) + arrayBytes + (1 + 3 + 8) + (1 + 3 + 4 + nsBytes + 1) + 1;
  const out = Buffer.allocUnsafe(4 + 8 + cursorBytes + ok.length);
  out.writeInt32LE(out.length, 0);
  let at = 4;
  at += out.write("\u0003cursor\0", at, "latin1");
  at = out.writeInt32LE(cursorBytes, at);
  at += out.write(`\u0004${field}\0`, at, "latin1");
  at = writeArray(out, at, documents, arrayBytes, indexes.names);
  at += out.write("\u0012id\0", at, "latin1");
  at = out.writeBigInt64LE(id, at);
  at += out.write("\u0002ns\0", at, "latin1");
  at = out.writeInt32LE(nsBytes + 1, at);
  at += out.write(namespace, at, "utf8");
  out[at++] = 0;
  out[at++] = 0;
  ok.copy(out, at);
  return out;
}

function writeArray(
  out: Buffer,
  start: number,
  documents: readonly Buffer[],
  bytes: number,
  names: readonly string[],
): number {
  let at = out.writeInt32LE(bytes, start);
  for (const [i, document] of documents.entries()) {
    out[at++] = 0x03;
    at += out.write(names[i]!, at, "latin1");
    out[at++] = 0;
    out.set(document, at);
    at += document.length;
  }
  out[at++] = 0;
  return at;
}

function arrayNames(count: number): { names: readonly string[]; bytes: number } {
  let bytes = 0;
  const names = Array.from({ length: count }, (_, i) => {
    const name = String(i);
    bytes += 2 + name.length;
    return name;
  });
  return { names, bytes };
}

export type FirstBatch = {
  readonly stream: DocumentStream;
  readonly namespace: string;
  readonly batchSize: number | undefined;
  readonly singleBatch: boolean;
};

/** Replies with the first batch and opens a cursor for the rest, if any. */
export function openCursor(call: Call, first: FirstBatch): Buffer {
  const { stream, namespace, singleBatch } = first;
  const batch = takeBatch(stream, first.batchSize ?? limits.firstBatchDocuments);
  if (batch.exhausted || singleBatch) {
    return cursorReply("firstBatch", batch.documents, 0n, namespace);
  }
  call.deadline.pauseClock();
  const { session, transaction, deadline } = call;
  const hasNoTimeout = call.body.bool("noCursorTimeout");
  const cursor = call.cursors.add({
    namespace,
    stream,
    session,
    transaction,
    deadline,
    hasNoTimeout,
    readAhead: batch.readAhead,
  });
  return cursorReply("firstBatch", batch.documents, cursor.id, namespace);
}

export function replyNextBatch(call: Call, cursor: Cursor, batchSize: number): Buffer {
  let batch: ReturnType<typeof takeBatch>;
  try {
    batch = takeBatch(cursor.stream, batchSize, cursor.readAhead);
  } catch (error) {
    call.cursors.close(cursor.id);
    throw error;
  }
  cursor.readAhead = batch.readAhead;
  cursor.deadline.pauseClock();
  if (batch.exhausted) call.cursors.close(cursor.id);
  const id = batch.exhausted ? 0n : cursor.id;
  return cursorReply("nextBatch", batch.documents, id, cursor.namespace);
}

/** Opens a cursor over documents in memory. */
export function openCursorOver(call: Call, namespace: string, documents: readonly Document[]) {
  const encoded = documents.map((document) => encodeDocument(document));
  let next = 0;
  const stream = { next: () => encoded[next++], pause: () => undefined };
  return openCursor(call, {
    stream,
    namespace,
    batchSize: cursorBatchSize(call.body),
    singleBatch: false,
  });
}
