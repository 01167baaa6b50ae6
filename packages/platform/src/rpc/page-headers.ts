import { type PageHeaders, replyHeaders as names } from "@malipo/contracts";
import type { MsgHdrs } from "@nats-io/nats-core";

/** Writes the headers that travel beside the bytes of a page. */
export function writePageHeaders(written: MsgHdrs, page: PageHeaders): void {
  for (const name of ["version", "policy", "filename"] as const) {
    const value = page[name];
    if (value !== undefined) written.set(names[name], value);
  }
}

export function readPageHeaders(written: MsgHdrs | undefined): PageHeaders {
  const get = (name: string) => written?.get(name) || undefined;
  return {
    version: get(names.version),
    policy: get(names.policy),
    filename: get(names.filename),
  };
}
