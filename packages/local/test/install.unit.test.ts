import { expect, test } from "vitest";
import { missingPackages } from "../bin/install.mjs";

const wanted = {
  packages: {
    "": { version: "1.0.0" },
    "node_modules/a": { version: "1.0.0", integrity: "sha512-a", resolved: "https://r/a" },
    "node_modules/only-elsewhere": { version: "1.0.0", optional: true },
    "packages/mine": { version: "0.1.0" },
  },
};

test("nothing is missing when everything for this platform is there", () => {
  const { "": _root, "node_modules/only-elsewhere": _other, ...present } = wanted.packages;
  expect(missingPackages(wanted, { packages: present })).toEqual([]);
});

test.each([
  ["is absent", {}],
  ["has another version", { "node_modules/a": { version: "1.0.1", integrity: "sha512-a" } }],
  ["has other contents", { "node_modules/a": { version: "1.0.0", integrity: "sha512-b" } }],
])("a package that %s is missing", (_what, present) => {
  const others = { "packages/mine": { version: "0.1.0" } };
  expect(missingPackages(wanted, { packages: { ...others, ...present } })).toEqual([
    "node_modules/a",
  ]);
});
