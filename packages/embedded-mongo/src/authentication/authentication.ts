import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";
import type { Document } from "../document-codec.ts";
import { MongoError } from "../errors.ts";
import type { Credential } from "./credential.ts";
import { beginScram, finishScram } from "./scram.ts";
import type { ScramExchange } from "./scram.ts";

export const mechanism = "SCRAM-SHA-256";
/** Users belong to this database, as drivers assume if the URI names no other. */
export const userDatabase = "admin";

export type SaslStart = {
  readonly mechanism: string | undefined;
  readonly db: string | undefined;
  readonly payload: Buffer | undefined;
  readonly skipEmptyExchange: boolean;
};

type Conversation = {
  readonly exchange: ScramExchange;
  readonly skipEmptyExchange: boolean;
  /** The client has proved that it knows the password; only its empty last message is missing. */
  readonly isProved: boolean;
};

const conversationId = 1;
const nonceBytes = 24;

/** What one connection has proved. Each attempt begins with a new nonce and ends with one answer. */
export class Authentication {
  private readonly credential: Credential | undefined;
  private readonly onSuccess: () => void;
  private conversation: Conversation | undefined;
  /** Without a credential, every connection may do everything. */
  isAllowed: boolean;

  constructor(credential: Credential | undefined, onSuccess: () => void) {
    this.credential = credential;
    this.onSuccess = onSuccess;
    this.isAllowed = credential === undefined;
  }

  get isRequired(): boolean {
    return this.credential !== undefined;
  }

  /** The user of this connection. */
  get user(): string | undefined {
    return this.isAllowed ? this.credential?.user : undefined;
  }

  start(request: SaslStart): Document {
    this.conversation = undefined;
    if (this.credential === undefined) throw noAuthentication();
    if (request.mechanism !== mechanism) {
      throw new MongoError(
        "MechanismUnavailable",
        `Unsupported mechanism: this server knows ${mechanism} only`,
      );
    }
    if (request.db !== userDatabase || request.payload === undefined) throw failed();
    const nonce = randomBytes(nonceBytes).toString("base64");
    const exchange = beginScram(this.credential, request.payload.toString("utf8"), nonce);
    if (exchange === undefined) throw failed();
    const { skipEmptyExchange } = request;
    this.conversation = { exchange, skipEmptyExchange, isProved: false };
    return answer(exchange.serverFirst, false);
  }

  continue(id: number | undefined, payload: Buffer | undefined): Document {
    const { conversation, credential } = this;
    this.conversation = undefined;
    if (credential === undefined) throw noAuthentication();
    if (conversation === undefined || id !== conversationId) throw noConversation();
    if (conversation.isProved) {
      if (payload?.length !== 0) throw failed();
      return this.succeed("");
    }
    const message = payload?.toString("utf8") ?? "";
    const serverFinal = finishScram(credential, conversation.exchange, message);
    if (serverFinal === undefined) throw failed();
    if (conversation.skipEmptyExchange) return this.succeed(serverFinal);
    this.conversation = { ...conversation, isProved: true };
    return answer(serverFinal, false);
  }

  private succeed(payload: string): Document {
    this.isAllowed = true;
    this.onSuccess();
    return answer(payload, true);
  }
}

function answer(payload: string, done: boolean): Document {
  return { conversationId, done, payload: Buffer.from(payload), ok: 1 };
}

/** The same error for all failures: a client must not learn which part was right. */
function failed(): MongoError {
  return new MongoError("AuthenticationFailed", "Authentication failed.");
}

function noConversation(): MongoError {
  return new MongoError("ProtocolError", "No SASL session state found");
}

function noAuthentication(): MongoError {
  return new MongoError(
    "AuthenticationFailed",
    "this server has no authentication: leave user and password out of the URI",
  );
}
