const groupsOfPrefix = 4;
const groupsMax = 8;
const mappedIpv4 = /^(?:0{0,4}:){2,5}ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * The key under which a client's address is counted. A household or a server owns a whole /64 of
 * IPv6, so that all its addresses are one client. An IPv4 address has one key in all its spellings.
 */
export function limitKeyOf(address: string): string {
  if (!address.includes(":")) return address;
  const mapped = mappedIpv4.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  const [plain = ""] = address.split("%");
  const groups = groupsOf(plain.toLowerCase());
  const words = mappedWordsOf(groups);
  if (words !== null) return words;
  return `${groups.slice(0, groupsOfPrefix).map(withoutZeros).join(":")}::/64`;
}

/** The eight groups of an IPv6 address, with the groups that `::` stands for. */
function groupsOf(address: string): readonly string[] {
  const [head = "", tail] = address.split("::");
  const first = head === "" ? [] : head.split(":");
  if (tail === undefined) return first;
  const last = tail === "" ? [] : tail.split(":");
  const zeros = Array.from(
    { length: Math.max(0, groupsMax - first.length - last.length) },
    () => "0",
  );
  return [...first, ...zeros, ...last];
}

/** The IPv4 address in `::ffff:7f00:1`, which is the same as `::ffff:127.0.0.1`. */
function mappedWordsOf(groups: readonly string[]): string | null {
  const numbers = groups.map((group) => Number.parseInt(group, 16));
  if (numbers.length !== groupsMax) return null;
  const [high = 0, low = 0] = numbers.slice(6);
  const isMapped = numbers.slice(0, 5).every((group) => group === 0) && numbers[5] === 0xffff;
  return isMapped ? [high >> 8, high & 255, low >> 8, low & 255].join(".") : null;
}

function withoutZeros(group: string): string {
  return group.replace(/^0+(?=.)/, "");
}
