import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { type AddressRules, mayConnect } from "./addresses.ts";

/** All addresses of a name are refused. Its text must reveal nothing about our networks. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly code = "ADDRESS_REFUSED";
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const tryTimeoutMs = 3_000;

/**
 * Queries the name servers directly. The system's lookup uses four threads for the whole process, so
 * four names with silent servers would block all lookups.
 */
export function createResolver(): Resolve {
  const resolver = new Resolver({ timeout: tryTimeoutMs, tries: 2 });
  return async (hostname) => {
    if (/^(.+\.)?localhost\.?$/i.test(hostname)) return ["127.0.0.1", "::1"];
    const answers = await Promise.allSettled([
      resolver.resolve4(hostname),
      resolver.resolve6(hostname),
    ]);
    const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    const [first] = answers;
    if (found.length === 0 && first.status === "rejected") throw first.reason;
    return found;
  };
}

/**
 * The lookup that connections use. The connection goes to an address that was checked here, so a
 * name that resolves differently a moment later gains nothing.
 */
export function guardedLookup(resolve: Resolve, rules: AddressRules): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const wanted = addresses
          .filter((address) => mayConnect(address, rules))
          .map((address) => ({ address, family: isIP(address) }))
          .filter(({ family }) => !options.family || family === Number(options.family));
        const [first] = wanted;
        if (!first) callback(new AddressRefused(`no address of ${hostname} is allowed`), "");
        else if (options.all) callback(null, wanted);
        else callback(null, first.address, first.family);
      },
      (error: NodeJS.ErrnoException) => callback(error, ""),
    );
  };
}
