import { isIP } from "node:net";
import { type AddressRules, mayConnect } from "./addresses.ts";

export interface ReceiverRules extends AddressRules {
  readonly httpsOnly: boolean;
}

/**
 * What is wrong with a receiver's address as far as it can be seen without asking for its name.
 * The URL parser has already made one spelling of the many of an IPv4 address.
 */
export function receiverProblem(url: URL, rules: ReceiverRules): string | undefined {
  if (url.protocol !== "https:" && url.protocol !== "http:") return "must begin with https://";
  if (rules.httpsOnly && url.protocol !== "https:") return "must begin with https://";
  if (url.username || url.password) return "must not contain a user or a password";
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  // No lookup happens for an address, so it is looked at here.
  if (isIP(host) !== 0 && !mayConnect(host, rules)) return "names an address that is not public";
  return undefined;
}
