import { MongoError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { requireField } from "../command-body.ts";

export const configureFailPoint: Command = {
  name: "configureFailPoint",
  kind: "none",
  adminOnly: true,
  testOnly: true,
  fields: { configureFailPoint: "string", mode: "any", data: "object" },
  run({ body, server }) {
    const name = requireField(
      body.string("configureFailPoint"),
      "configureFailPoint",
      "configureFailPoint",
    );
    if (server.failPoints === undefined) throw new MongoError("CommandNotFound", "no such command");
    server.failPoints.configure(name, body.value("mode"), body.document("data") ?? {});
    return { count: 0, ok: 1 };
  },
};
