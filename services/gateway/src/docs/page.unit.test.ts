import { createHash } from "node:crypto";
import { buildOpenApiDocument } from "@malipo/contract-tools";
import { allRoutes, isWrite, route, type Route, sandboxNumbers } from "@malipo/contracts";
import { faultRules } from "@malipo/core";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { docsPage } from "./page.ts";
import { serveDocs } from "./serve-docs.ts";

const document = buildOpenApiDocument(allRoutes, "https://api.example");
const page = docsPage(document);

function matches(pattern: RegExp, text = page): string[] {
  return [...text.matchAll(pattern)].map(([, match = ""]) => match);
}

function sectionOf(id: string, text = page): string {
  return text.split(`id="${id}"`)[1]?.split("<section")[0] ?? "";
}

const publicRoutes = allRoutes.filter(({ audience }) => audience === "public");

/** An optional body is described by the fields of its schema. */
function fieldsIn({ body }: Route): string[] {
  const schema = body instanceof z.ZodDefault ? body.unwrap() : body;
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : [];
}

describe("the reference page", () => {
  it.each(publicRoutes.map((one) => [`${one.method} ${one.path}`, one] as const))(
    "shows %s with its fields, error codes and a curl command",
    (_name, one) => {
      const section = sectionOf(one.verb);
      expect(section).toContain(`>${one.method}</span>`);
      expect(section).toContain(one.path.replace(":id", "{id}"));
      expect(section).toContain("curl ");
      expect(section.includes("Idempotency-Key")).toBe(isWrite(one));
      for (const name of fieldsIn(one)) {
        expect(section).toContain(`<code class="name">${name}</code>`);
      }
      expect(matches(/href="#code-(\w+)"/g, section)).toEqual(
        expect.arrayContaining(["missing_credential", "rate_limited", "service_unavailable"]),
      );
    },
  );

  it("lists every error code", () => {
    const rows = matches(/id="code-(\w+)"/g);
    expect(rows.toSorted()).toEqual(Object.keys(faultRules).toSorted());
  });

  it("lists every test number of the sandbox", () => {
    const section = sectionOf("sandbox-numbers");
    for (const { range, numbers } of sandboxNumbers) {
      expect(section).toContain(`<code>${range}</code>`);
      for (const { number, what } of numbers) {
        expect(section).toContain(`<code>${number}</code>`);
        expect(section).toContain(what.replaceAll("'", "&#39;"));
      }
    }
  });

  it("has a target for every link, and no id twice", () => {
    const ids = matches(/ id="([^"]+)"/g);
    expect(new Set(ids).size).toBe(ids.length);
    for (const target of matches(/href="#([^"]+)"/g)) expect(ids).toContain(target);
  });

  it("has no script and loads nothing", () => {
    expect(page).not.toMatch(/<script|<link(?! rel="icon")|@import|url\(| style="| on\w+="/i);
    for (const address of matches(/(?:src|href)="([^"]*)"/g)) {
      expect(address).toMatch(/^(#|\/openapi\.json$|data:image\/svg\+xml,)/);
    }
  });
});

describe("the reference page of a hostile document", () => {
  const hostile = `"><script>alert('1')</script>&amp;`;
  const nasty = route({
    audience: "public",
    service: "invoice",
    verb: "nasty",
    method: "POST",
    path: "/business/nasty/do/:id",
    summary: hostile,
    rateClass: "plan",
    params: { id: hostile },
    query: z.object({ [hostile]: z.string().optional() }),
    body: z.object({
      [hostile]: z.string().meta({ description: hostile, examples: [hostile] }),
      kinds: z.array(z.enum([hostile, "plain"])).max(3),
      lines: z.array(z.object({ quantity: z.int().min(1).max(9) })).nullable(),
    }),
    reply: { status: 200, message: hostile, data: z.object({ [hostile]: z.literal(hostile) }) },
  });
  const text = docsPage(buildOpenApiDocument([nasty], `https://api.example/${hostile}`));

  it("escapes all texts", () => {
    expect(text).not.toContain("<script");
    expect(text).not.toContain("alert('1')");
    expect(text).toContain("&#60;script&#62;alert(&#39;1&#39;)&#60;/script&#62;&#38;amp;");
  });

  it("shows the fields of nested lists with types and bounds", () => {
    const section = sectionOf("nasty", text);
    expect(section).toContain("list of objects or null");
    expect(section).toContain("any of");
    expect(section).toContain("at most 3 entries");
    expect(section).toMatch(/>quantity<\/code>\s*<span class="type">integer<\/span>/);
    expect(section).toContain("1 to 9");
  });
});

it("the reference page is served with a policy that allows its own style sheet only", async () => {
  const app = fastify();
  serveDocs(app, document);
  const { headers, body } = await app.inject("/docs");
  expect(headers["content-type"]).toBe("text/html; charset=utf-8");
  const [css = ""] = matches(/<style>([^]*?)<\/style>/g, body);
  const hash = createHash("sha256").update(css).digest("base64");
  expect(headers["content-security-policy"]).toBe(
    `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  await app.close();
});
