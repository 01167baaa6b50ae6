import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mayConnect } from "./addresses.ts";
import { receiverProblem } from "./receiver-url.ts";

const strict = { allowLoopback: false };
const sandbox = { allowLoopback: true };
const anyScheme = { ...strict, httpsOnly: false };

/** The first and the last of every range, and what lies just outside where that is public. */
const refused = [
  ["this network", "0.0.0.0", "0.255.255.255"],
  ["private 10/8", "10.0.0.0", "10.255.255.255"],
  ["carrier-grade NAT", "100.64.0.0", "100.127.255.255"],
  ["loopback", "127.0.0.0", "127.255.255.255"],
  ["link-local and cloud metadata", "169.254.0.0", "169.254.255.255"],
  ["private 172.16/12", "172.16.0.0", "172.31.255.255"],
  ["protocol assignments", "192.0.0.0", "192.0.0.255"],
  ["documentation 1", "192.0.2.0", "192.0.2.255"],
  ["AS112", "192.31.196.0", "192.31.196.255"],
  ["AMT", "192.52.193.0", "192.52.193.255"],
  ["6to4 relays", "192.88.99.0", "192.88.99.255"],
  ["private 192.168/16", "192.168.0.0", "192.168.255.255"],
  ["AS112 direct", "192.175.48.0", "192.175.48.255"],
  ["benchmarks", "198.18.0.0", "198.19.255.255"],
  ["documentation 2", "198.51.100.0", "198.51.100.255"],
  ["documentation 3", "203.0.113.0", "203.0.113.255"],
  ["multicast", "224.0.0.0", "239.255.255.255"],
  ["reserved and broadcast", "240.0.0.0", "255.255.255.255"],
  ["nobody", "::", "::"],
  ["loopback", "::1", "::1"],
  ["compatible IPv4", "::2", "::ffff:ffff"],
  ["compatible IPv4 in dots", "::127.0.0.1", "::8.8.8.8"],
  ["mapped IPv4", "::ffff:0:0", "::ffff:ffff:ffff"],
  ["mapped IPv4 in dots", "::ffff:127.0.0.1", "::ffff:8.8.8.8"],
  ["translated IPv4", "::ffff:0:0:0", "::ffff:0:ffff:ffff"],
  ["NAT64", "64:ff9b::", "64:ff9b::ffff:ffff"],
  ["local NAT64", "64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff"],
  ["discard", "100::", "100::ffff:ffff:ffff:ffff"],
  ["Teredo", "2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["IETF assignments", "2001:1::1", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["documentation", "2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["6to4", "2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["AS112 in IPv6", "2620:4f:8000::", "2620:4f:8000:ffff:ffff:ffff:ffff:ffff"],
  ["documentation 2", "3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["segment routing", "5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["unique local", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["link-local", "fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["site-local", "fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["multicast", "ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"],
  ["a zone", "2606:4700::1%eth0", "fe80::1%1"],
] as const;

const taken = [
  "1.1.1.1",
  "8.8.8.8",
  "9.255.255.255",
  "11.0.0.0",
  "100.63.255.255",
  "100.128.0.0",
  "126.255.255.255",
  "128.0.0.0",
  "169.253.255.255",
  "169.255.0.0",
  "172.15.255.255",
  "172.32.0.0",
  "192.0.1.0",
  "192.167.255.255",
  "192.169.0.0",
  "198.17.255.255",
  "198.20.0.0",
  "223.255.255.255",
  "2001:200::",
  "2001:4860:4860::8888",
  "2606:4700:4700::1111",
  "2a00:1450::1",
  "2c0f:fe38::1",
  "3ffe::1",
];

describe("addresses", () => {
  it.each(refused)("of %s are refused, from %s to %s", (_name, first, last) => {
    expect([first, last].filter((address) => mayConnect(address, strict))).toEqual([]);
  });

  it.each(taken.map((address) => [address]))("%s is public", (address) => {
    expect(mayConnect(address, strict)).toBe(true);
  });

  it.each([[""], ["localhost"], ["127.1"], ["0x7f000001"], ["1.2.3"], ["::g"], ["1.1.1.1 "]])(
    "%o is no address",
    (text) => {
      expect(mayConnect(text, strict)).toBe(false);
    },
  );

  it("of this machine are taken in a sandbox that says so, and no others", () => {
    expect(mayConnect("127.0.0.1", sandbox)).toBe(true);
    expect(mayConnect("::1", sandbox)).toBe(true);
    expect(mayConnect("8.8.8.8", sandbox)).toBe(true);
    for (const [name, first, last] of refused) {
      if (name === "loopback") continue;
      expect([first, last].filter((address) => mayConnect(address, sandbox))).toEqual([]);
    }
  });
});

type Octets = [number, number, number, number];

const octet = fc.nat({ max: 255 });
const inside: fc.Arbitrary<Octets> = fc.oneof(
  fc.tuple(fc.constant(10), octet, octet, octet),
  fc.tuple(fc.constant(127), octet, octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(0), octet, octet, octet),
  fc.tuple(fc.integer({ min: 224, max: 255 }), octet, octet, octet),
);

const bases = ["decimal", "hex", "octal"] as const;

function spelled(value: number, base: (typeof bases)[number]): string {
  if (base === "hex") return `0x${value.toString(16)}`;
  return base === "octal" ? `0${value.toString(8)}` : String(value);
}

/** An IPv4 address in one to four parts, each in any base: all that a URL may make of it. */
const spelling = fc
  .tuple(
    inside,
    fc.integer({ min: 1, max: 4 }),
    fc.array(fc.constantFrom(...bases), { minLength: 4, maxLength: 4 }),
  )
  .map(([octets, parts, inBases]) => {
    const head = octets.slice(0, parts - 1);
    const tail = octets.slice(parts - 1).reduce((sum, part) => sum * 256 + part, 0);
    return [...head, tail]
      .map((part, index) => spelled(part, inBases[index] ?? "decimal"))
      .join(".");
  });

/** Digits and dots as other scripts write them, which a name's mapping turns back. */
const disguised = spelling.chain((text) =>
  fc.constantFrom(
    text,
    `${text}.`,
    text.replaceAll(".", "。"),
    text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    text.replaceAll(/[0-9]/g, (digit) => (digit === "0" ? digit : encodeURIComponent(digit))),
    text.toUpperCase().replaceAll("0X", "0x"),
  ),
);

describe("an address written into a URL", () => {
  it("is refused in any spelling that leads into our networks", () => {
    fc.assert(
      fc.property(disguised, fc.constantFrom("http", "https"), (host, scheme) => {
        // What is no URL at all was refused before.
        const url = URL.parse(`${scheme}://${host}/hook`) ?? new URL("http://10.0.0.1/");
        expect(receiverProblem(url, anyScheme)).toBe("names an address that is not public");
      }),
      { numRuns: 2_000 },
    );
  });

  it("is refused when IPv6 carries it", () => {
    const wrappings = [
      "::",
      "::ffff:",
      "::ffff:0:",
      "64:ff9b::",
      "64:ff9b:1::",
      "2002:",
      "fe80::5efe:",
    ];
    fc.assert(
      fc.property(
        inside,
        fc.constantFrom(...wrappings),
        fc.boolean(),
        (octets, wrapping, inDots) => {
          const [a, b, c, d] = octets;
          const words = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
          const isMiddle = wrapping === "2002:";
          const tail = inDots && !isMiddle ? octets.join(".") : words;
          const url = new URL(`http://[${wrapping}${tail}${isMiddle ? "::1" : ""}]/`);
          expect(receiverProblem(url, anyScheme)).toBeDefined();
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it("is judged as it stands when it is written in the usual way", () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const problem = receiverProblem(new URL(`http://${address}/`), anyScheme);
        expect(problem === undefined).toBe(mayConnect(address, strict));
      }),
    );
  });

  it.each([
    ["ftp://example.com/", "must begin with https://"],
    ["file:///etc/passwd", "must begin with https://"],
    ["http://user@example.com/", "must not contain a user or a password"],
    ["http://:secret@example.com/", "must not contain a user or a password"],
    ["http://localhost/", undefined],
    ["http://example.com:8080/hook?a=b", undefined],
  ])("%s: %o", (text, problem) => {
    expect(receiverProblem(new URL(text), anyScheme)).toBe(problem);
  });

  it("has to be https where the environment is live", () => {
    const live = { ...strict, httpsOnly: true };
    expect(receiverProblem(new URL("http://example.com/"), live)).toBe("must begin with https://");
    expect(receiverProblem(new URL("https://example.com/"), live)).toBeUndefined();
  });
});
