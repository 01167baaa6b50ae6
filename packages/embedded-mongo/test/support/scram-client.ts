import { Buffer } from "node:buffer";
import { createHash, createHmac, pbkdf2Sync } from "node:crypto";
import { Binary } from "mongodb";
import type { Document } from "mongodb";
import type { RawClient } from "./raw-client.ts";

/* SCRAM-SHA-256 from the client's side, step by step, so that a test can send wrong steps. */

const header = "n,,";
const hmac = (key: Buffer, text: string) => createHmac("sha256", key).update(text).digest();

export type FirstStep = { readonly reply: Document; readonly bare: string; readonly text: string };

export function saslStart(user: string, nonce: string, gs2 = header): Document {
  return {
    saslStart: 1,
    mechanism: "SCRAM-SHA-256",
    payload: new Binary(Buffer.from(`${gs2}n=${user},r=${nonce}`)),
    options: { skipEmptyExchange: true },
  };
}

export async function begin(client: RawClient, user: string, nonce: string): Promise<FirstStep> {
  const reply = await client.command(saslStart(user, nonce), "admin");
  return { reply, bare: `n=${user},r=${nonce}`, text: textOf(reply) };
}

/** The client's final message, made with the password. `claim` replaces what it repeats and signs. */
export function finalMessage({ bare, text }: FirstStep, password: string, claim?: string): string {
  const [, nonce, salt = "", iterations] = /^r=(.*),s=(.*),i=(\d+)$/.exec(text) ?? [];
  const salted = pbkdf2Sync(
    password,
    Buffer.from(salt, "base64"),
    Number(iterations),
    32,
    "sha256",
  );
  const clientKey = hmac(salted, "Client Key");
  const storedKey = createHash("sha256").update(clientKey).digest();
  const withoutProof = claim ?? `c=${Buffer.from(header).toString("base64")},r=${nonce}`;
  const signature = hmac(storedKey, `${bare},${text},${withoutProof}`);
  const proof = Buffer.from(clientKey.map((byte, at) => byte ^ signature.readUInt8(at)));
  return `${withoutProof},p=${proof.toString("base64")}`;
}

export function saslContinue(message: string): Document {
  return { saslContinue: 1, conversationId: 1, payload: new Binary(Buffer.from(message)) };
}

export function textOf(reply: Document): string {
  const payload = reply["payload"] as Binary | undefined;
  return payload === undefined ? "" : Buffer.from(payload.buffer).toString("utf8");
}
