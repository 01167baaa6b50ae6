import { isIP } from "node:net";
import { type Fault, fault } from "@malipo/core";
import { type AddressRules, mayConnect } from "./addresses.ts";

export interface ReceiverRules extends AddressRules {
  readonly httpsOnly: boolean;
}

/**
 * The problem of a receiver's URL, as far as it shows without a name lookup. The URL parser has
 * already brought all spellings of an IPv4 address into one form.
 */
export function receiverProblem(url: URL, rules: ReceiverRules): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (rules.httpsOnly && url.protocol !== "https:") return "must begin with https://";
  if (url.username || url.password) return "must not contain a user or a password";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // An address needs no lookup, so the guarded lookup never sees it.
  if (isIP(host) !== 0 && !mayConnect(host, rules)) return "names an address that is not public";
  return undefined;
}

/** The same problem, as the caller of the API reads it. */
export function receiverFault(url: string | undefined, rules: ReceiverRules): Fault | undefined {
  const problem = url === undefined ? undefined : receiverProblem(new URL(url), rules);
  if (problem === undefined) return undefined;
  return fault("invalid_request", { text: `url ${problem}`, fields: [{ path: "url", problem }] });
}
