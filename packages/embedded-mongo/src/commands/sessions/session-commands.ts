import { Buffer } from "node:buffer";
import type { Document } from "../../document-codec.ts";
import type { Call, Command } from "../command.ts";

export const endSessions: Command = {
  name: "endSessions",
  kind: "none",
  fields: { endSessions: "array" },
  run: (call) => endNamedSessions(call, "endSessions"),
};

/** Ends the transactions and cursors of all sessions. Test suites use this between tests. */
export const killAllSessions: Command = {
  name: "killAllSessions",
  kind: "none",
  fields: { killAllSessions: "array" },
  run(call) {
    call.transactions.abortAll();
    call.cursors.closeWhere((cursor) => cursor.session !== undefined);
    return { ok: 1 };
  },
};

export const killSessions: Command = {
  name: "killSessions",
  kind: "none",
  fields: { killSessions: "array" },
  run: (call) => endNamedSessions(call, "killSessions"),
};

/** Ends the sessions that the command's array lists, with their transactions and cursors. */
function endNamedSessions(call: Call, field: string): Document {
  const listed = (call.body.value(field) as unknown[]).map(sessionKey);
  const ended = new Set(listed.filter((session) => session !== undefined));
  for (const session of ended) call.transactions.endSession(session);
  call.cursors.closeWhere(({ session }) => session !== undefined && ended.has(session));
  return { ok: 1 };
}

/** The session's id as a map key, as `Call.session` has it. */
function sessionKey(lsid: unknown): string | undefined {
  const id = (lsid as { id?: { buffer?: Uint8Array } } | null)?.id?.buffer;
  return id === undefined ? undefined : Buffer.from(id).toString("latin1");
}

export const refreshSessions: Command = {
  name: "refreshSessions",
  kind: "none",
  fields: { refreshSessions: "array" },
  run: () => ({ ok: 1 }),
};
