import { MongoError } from "../../errors.ts";
import type { Command } from "../command.ts";
import { CommandBody, requireField } from "../command-body.ts";
import { explainQuery } from "./explain-query.ts";
import { explainable } from "./explainable-commands.ts";
import { genericFields } from "../generic-fields.ts";

const verbosities = ["queryPlanner", "executionStats", "allPlansExecution"];

export const explain: Command = {
  name: "explain",
  kind: "read",
  fields: { explain: "object", verbosity: "string" },
  run(call) {
    const { body } = call;
    const inner = requireField(body.bytes("explain"), "explain", "explain");
    const verbosity = body.string("verbosity") ?? "allPlansExecution";
    if (!verbosities.includes(verbosity)) {
      throw new MongoError("FailedToParse", `verbosity must be one of ${verbosities.join(", ")}`);
    }
    const [name = ""] = new CommandBody("explain", inner).names();
    const command = explainable.get(name);
    if (command === undefined) {
      throw new MongoError("CommandNotFound", `Explain failed due to unknown command: ${name}`);
    }
    const explained = new CommandBody(name, inner);
    explained.check(command.fields, genericFields);
    return explainQuery(call, name, explained, verbosity !== "queryPlanner");
  },
};
