import { expect, it } from "vitest";
import { noVisitor, placeOf, visitorAt } from "./visitor.ts";

const visitor = (client?: string) => visitorAt(client, (address) => `hash of ${address}`);

it("a visitor by IPv6 has the place of its /48, and one by IPv4 that of its address", () => {
  expect(visitor("2001:db8:1:2::/64")).toEqual({
    askedfrom: "hash of 2001:db8:1:2::/64",
    askednetwork: "hash of 2001:db8:1::/48",
  });
  const places = ["2001:db8:1:2::/64", "2001:db8:1:3::/64", "2001:db8:2:2::/64", "192.0.2.7"];
  expect(places.map((client) => placeOf(visitor(client)))).toEqual([
    "hash of 2001:db8:1::/48",
    "hash of 2001:db8:1::/48",
    "hash of 2001:db8:2::/48",
    "hash of 192.0.2.7",
  ]);
  expect(visitor()).toEqual(noVisitor);
});
