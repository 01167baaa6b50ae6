import { Resolver } from "node:dns/promises";
import { isIP, type LookupFunction } from "node:net";
import { type AddressRules, mayConnect } from "./addresses.ts";

/** Why nothing was sent, in words that tell nobody about our networks. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly code = "ADDRESS_REFUSED";
}

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<readonly string[]>;

const perTryMs = 3_000;

/**
 * Asks the name servers themselves. The system's own way runs on four threads for the whole
 * process, and four names whose servers keep silent would stop everybody.
 */
export function nameServers(): Resolve {
  const resolver = new Resolver({ timeout: perTryMs, tries: 2 });
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
 * The lookup that connections use: what it lets through is what is dialled, so a name that answers
 * differently a moment later gains nothing.
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
