import { BlockList, isIP } from "node:net";

/**
 * Addresses that no event may be sent to: private networks, this machine, reserved and multicast
 * addresses, and addresses that stand for others. Of IPv6 only global unicast is allowed, which
 * excludes mapped, translated and site-local addresses.
 */
const refused4 = blockList("ipv4", [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.31.196.0", 24],
  ["192.52.193.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["192.175.48.0", 24],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
]);

const global6 = blockList("ipv6", [["2000::", 3]]);

const refused6 = blockList("ipv6", [
  // Protocol assignments: Teredo, benchmarking, ORCHID and the like.
  ["2001::", 23],
  ["2001:db8::", 32],
  // 6to4 carries an IPv4 address.
  ["2002::", 16],
  ["2620:4f:8000::", 48],
  ["3fff::", 20],
]);

const loopback4 = blockList("ipv4", [["127.0.0.0", 8]]);
const loopback6 = blockList("ipv6", [["::1", 128]]);

function blockList(
  family: "ipv4" | "ipv6",
  subnets: readonly (readonly [string, number])[],
): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, family);
  return list;
}

export interface AddressRules {
  /** A sandbox on a developer's machine may send to that machine. */
  readonly allowLoopback: boolean;
}

/** Whether a connection to this address may be opened. A text that is no address is refused. */
export function mayConnect(address: string, { allowLoopback }: AddressRules): boolean {
  switch (isIP(address)) {
    case 4:
      return (
        (allowLoopback && loopback4.check(address, "ipv4")) || !refused4.check(address, "ipv4")
      );
    case 6:
      // A zone names an interface of this machine.
      if (address.includes("%")) return false;
      if (allowLoopback && isLoopback6(address)) return true;
      return global6.check(address, "ipv6") && !refused6.check(address, "ipv6");
    default:
      return false;
  }
}

/** The list would treat ::ffff:127.0.0.1 as the IPv4 address in it. */
function isLoopback6(address: string): boolean {
  return !address.includes(".") && loopback6.check(address, "ipv6");
}
