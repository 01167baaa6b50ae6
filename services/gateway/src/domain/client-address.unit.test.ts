import { expect, it } from "vitest";
import { limitKeyOf } from "./client-address.ts";

it.each([
  ["41.90.1.2", "41.90.1.2"],
  ["::ffff:41.90.1.2", "41.90.1.2"],
  ["::FFFF:41.90.1.2", "41.90.1.2"],
  ["0:0:0:0:0:ffff:41.90.1.2", "41.90.1.2"],
  ["::ffff:295a:102", "41.90.1.2"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0db8:0001:0002::9", "2001:db8:1:2::/64"],
  ["2001:DB8:1:2::", "2001:db8:1:2::/64"],
  ["2001:db8::7", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("the address %s is counted as %s", (address, key) => {
  expect(limitKeyOf(address)).toBe(key);
});

it("two addresses of one /64 have one key, and those of two networks have two", () => {
  expect(limitKeyOf("2001:db8:1:2:aaaa::1")).toBe(limitKeyOf("2001:db8:1:2::ffff"));
  expect(limitKeyOf("2001:db8:1:3::1")).not.toBe(limitKeyOf("2001:db8:1:2::1"));
});
