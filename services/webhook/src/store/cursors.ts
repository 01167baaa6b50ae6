import type { Cipher } from "@malipo/platform";

/** A place in one business's feed. Sealed: how much happens elsewhere is nobody's business. */
export interface Cursors {
  write(businessid: string, position: number): string;
  /** Undefined when it is not a cursor that this log gave to this business. */
  read(businessid: string, cursor: string): number | undefined;
}

/** The epoch is the log's own name: a log that was lost and begun anew knows none of its cursors. */
export function createCursors(cipher: Cipher, epoch: string): Cursors {
  const boundTo = (businessid: string) => `cursor ${epoch} ${businessid}`;
  return {
    write: (businessid, position) => {
      const sealed = cipher.encrypt(Buffer.from(position.toString(36)), boundTo(businessid));
      return Buffer.from(sealed).toString("base64url");
    },
    read: (businessid, cursor) => {
      try {
        const sealed = Buffer.from(cursor, "base64url");
        const text = Buffer.from(cipher.decrypt(sealed, boundTo(businessid))).toString();
        const position = Number.parseInt(text, 36);
        return Number.isSafeInteger(position) ? position : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
