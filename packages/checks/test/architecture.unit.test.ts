import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const sources = globSync(["packages/*/src/**/*.ts", "services/*/src/**/*.ts"], { cwd: root })
  .filter((file) => !file.endsWith(".test.ts"))
  .map((file) => ({ file, text: readFileSync(`${root}/${file}`, "utf8") }));

function importsOf(text: string): string[] {
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(
    ([, specifier]) => specifier ?? "",
  );
}

/** What a workspace may import of ours: arrows point one way only. */
const allowed: Readonly<Record<string, readonly string[]>> = {
  core: [],
  contracts: ["core"],
  "contract-tools": ["core", "contracts"],
  platform: ["core", "contracts"],
  print: ["core"],
  "embedded-mongo": [],
  "mpesa-simulator": ["core", "contracts", "platform"],
  cli: ["core", "contracts"],
};
const allowedToServices = ["core", "contracts", "platform", "print"];
/** The gateway alone serves the OpenAPI document. */
const allowedToGateway = [...allowedToServices, "contract-tools"];

describe("the import law", () => {
  it.each(sources.map(({ file, text }) => [file, text] as const))("%s keeps it", (file, text) => {
    const [kind, workspace = ""] = file.split("/");
    const allowedToService = workspace === "gateway" ? allowedToGateway : allowedToServices;
    const mayImport = kind === "services" ? allowedToService : allowed[workspace];
    const ours = importsOf(text).flatMap(
      (specifier) => /^@malipo\/([\w-]+)/.exec(specifier)?.[1] ?? [],
    );
    expect(ours.filter((name) => mayImport && !mayImport.includes(name))).toEqual([]);
    expect(
      importsOf(text).filter((specifier) => /^(\.\.\/)+(services|packages)\//.test(specifier)),
    ).toEqual([]);
  });

  it("keeps the domain pure: it imports core, contract types and its own kind", () => {
    const domain = sources.filter(({ file }) =>
      /^services\/[\w-]+\/src\/(product|customer|tax|totals|status|[a-z]*-?invoice|invoice-events|credit|credit-key|business|credential|secret|settings|endpoint|delivery|event-body|schedule|health|signature|transaction|decide|answers|callback|outcome|next-look|reservation|receipt|payment-method|payment-link|suspense|prompt-answer|subscription|new-subscription|states|period|moments|advance|change|commands|dunning|hear-invoices|history|open-invoices|plan|prompt-hours|slot)\.ts$/.test(
        file,
      ),
    );
    expect(domain.length).toBeGreaterThan(0);
    for (const { file, text } of domain) {
      const foreign = importsOf(text).filter(
        (specifier) =>
          !/^(@malipo\/(core|contracts)|\.\/[\w-]+\.ts|node:(crypto|zlib)|\.\/providers\/(provider|daraja\/result-codes)\.ts)$/.test(
            specifier,
          ),
      );
      expect({ file, foreign }).toEqual({ file, foreign: [] });
    }
  });

  it("lets only main.ts read the process", () => {
    const readers = sources
      .filter(({ file }) => file.startsWith("services/") && basename(file) !== "main.ts")
      .filter(({ text }) => /\bprocess\./.test(text));
    expect(readers.map(({ file }) => file)).toEqual([]);
  });
});
