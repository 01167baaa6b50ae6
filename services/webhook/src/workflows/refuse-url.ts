import { type Fault, fault } from "@malipo/core";
import { type ReceiverRules, receiverProblem } from "../http/receiver-url.ts";

/** What is wrong with a receiver's address, as the caller reads it. */
export function refuseUrl(url: string | undefined, rules: ReceiverRules): Fault | undefined {
  const problem = url === undefined ? undefined : receiverProblem(new URL(url), rules);
  if (problem === undefined) return undefined;
  return fault("invalid_request", { text: `url ${problem}`, fields: [{ path: "url", problem }] });
}
