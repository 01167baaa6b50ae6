import type { SaslStart } from "../../authentication/authentication.ts";
import type { Command } from "../command.ts";
import { CommandBody } from "../command-body.ts";
import type { Fields } from "../command-body.ts";

const saslStartFields: Fields = {
  saslStart: "any",
  mechanism: "string",
  payload: "binData",
  autoAuthorize: "any",
  options: "object",
};

export const saslStart: Command = {
  name: "saslStart",
  kind: "none",
  beforeAuthentication: true,
  fields: saslStartFields,
  run: ({ body, connection, db }) => connection.authentication.start(readSaslStart(body, db)),
};

export const saslContinue: Command = {
  name: "saslContinue",
  kind: "none",
  beforeAuthentication: true,
  fields: { saslContinue: "any", conversationId: "number", payload: "binData" },
  run: ({ body, connection }) =>
    connection.authentication.continue(body.number("conversationId"), body.binary("payload")),
};

/** The `saslStart` inside a `hello`, which saves the client one round trip. */
export function readSpeculativeStart(hello: CommandBody): SaslStart | undefined {
  const bytes = hello.bytes("speculativeAuthenticate");
  if (bytes === undefined) return undefined;
  const body = new CommandBody("speculativeAuthenticate", bytes);
  body.check({ ...saslStartFields, db: "string" });
  return readSaslStart(body, body.string("db"));
}

function readSaslStart(body: CommandBody, db: string | undefined): SaslStart {
  return {
    mechanism: body.string("mechanism"),
    db,
    payload: body.binary("payload"),
    skipEmptyExchange: body.document("options")?.["skipEmptyExchange"] === true,
  };
}
