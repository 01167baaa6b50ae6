import type { OpenApiDocument } from "@malipo/contract-tools";
import { contentSecurityPolicy } from "@malipo/platform";
import type { FastifyInstance } from "fastify";
import { docsPage } from "./page.ts";
import { style } from "./style.ts";

const policy = contentSecurityPolicy(style);

export function serveDocs(app: FastifyInstance, document: OpenApiDocument): void {
  const page = Buffer.from(docsPage(document));
  app.get("/docs", async (_request, reply) =>
    reply
      .headers({
        "content-security-policy": policy,
        "x-content-type-options": "nosniff",
        "referrer-policy": "no-referrer",
        "cache-control": "public, max-age=300",
      })
      .type("text/html; charset=utf-8")
      .send(page),
  );
}
