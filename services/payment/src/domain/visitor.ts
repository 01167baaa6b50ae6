/** Where a page was used from, as keyed hashes. */
export interface Visitor {
  /** The address, or the /64 network of IPv6; null when it is not known, or when no page asked. */
  readonly askedfrom: string | null;
  /** The /48 network of IPv6; null for IPv4, and for a prompt that the previous release sent. */
  readonly askednetwork: string | null;
}

export const noVisitor: Visitor = { askedfrom: null, askednetwork: null };

const groupsOfSite = 3;

/** `client` is an IPv4 address, or an IPv6 network such as `2001:db8:1:2::/64`. */
export function visitorAt(client: string | undefined, hash: (address: string) => string): Visitor {
  if (client === undefined) return noVisitor;
  const site = client.split(":").slice(0, groupsOfSite);
  return {
    askedfrom: hash(client),
    askednetwork: client.includes(":") ? hash(`${site.join(":")}::/48`) : null,
  };
}

/** One subscriber owns all addresses of a place: an IPv4 address, or the 65,536 networks of a /48. */
export function placeOf({ askedfrom, askednetwork }: Visitor): string | null {
  return askednetwork ?? askedfrom;
}
