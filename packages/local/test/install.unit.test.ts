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

test("missingPackages ignores optional packages for other platforms", () => {
  const { "": _root, "node_modules/only-elsewhere": _other, ...present } = wanted.packages;
  expect(missingPackages(wanted, { packages: present })).toEqual([]);
});

test.each([
  ["is absent", {}],
  ["has another version", { "node_modules/a": { version: "1.0.1", integrity: "sha512-a" } }],
  ["has other contents", { "node_modules/a": { version: "1.0.0", integrity: "sha512-b" } }],
])("missingPackages returns a package that %s", (_what, present) => {
  const others = { "packages/mine": { version: "0.1.0" } };
  expect(missingPackages(wanted, { packages: { ...others, ...present } })).toEqual([
    "node_modules/a",
  ]);
});
