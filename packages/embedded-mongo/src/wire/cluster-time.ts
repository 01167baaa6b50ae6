import { Buffer } from "node:buffer";
import { Binary, Long, serialize, Timestamp } from "bson";

const noSignature = { hash: new Binary(Buffer.alloc(20)), keyId: Long.ZERO };

let second = 0;
let encoded: Buffer = Buffer.alloc(0);

/** The fields that a member of a replica set adds to its replies, as BSON elements. */
export function clusterTimeFields(): Buffer {
  const now = Math.floor(Date.now() / 1000);
  // The cluster time must not go back, even if the clock is set back.
  if (now > second) {
    second = now;
    const clusterTime = new Timestamp({ t: now, i: 1 });
    const document = serialize({
      $clusterTime: { clusterTime, signature: noSignature },
      operationTime: clusterTime,
    });
    encoded = Buffer.from(document.subarray(4, -1));
  }
  return encoded;
}
