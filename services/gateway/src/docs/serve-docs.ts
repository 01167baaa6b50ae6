import { createHash } from "node:crypto";
import type { OpenApiDocument } from "@malipo/contracts";
import type { FastifyInstance } from "fastify";
import { docsPage } from "./page.ts";
import { style } from "./style.ts";

/** The page may use its own style sheet and its own pictures; nothing else, from nowhere. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`,
  "img-src data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export function serveDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const page = docsPage(document);
  app.get("/docs", async (_request, reply) =>
    reply
      .headers({
        "content-security-policy": contentSecurityPolicy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "public, max-age=300",
      })
      .type("text/html; charset=utf-8")
      .send(page),
  );
}
