import type { Cipher } from "@malipo/platform";

/** Positions in one business's feed. Sealed, because a position shows how many events others have. */
export interface Cursors {
  write(businessid: string, position: number): string;
  /** Undefined unless this log gave the cursor to this business. */
  read(businessid: string, cursor: string): number | undefined;
}

/** A log that was lost and started again has another epoch, so it refuses the old cursors. */
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
