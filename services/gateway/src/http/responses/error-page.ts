import { type Fault, html, styleElement } from "@malipo/core";
import { contentSecurityPolicy } from "@malipo/platform";
import type { FastifyReply } from "fastify";
import type { Outcome } from "../pipeline/pipeline.ts";
import { pageHeaders } from "./page-headers.ts";

interface PageText {
  readonly title: string;
  readonly text: string;
}

const ourMistake: PageText = {
  title: "Something went wrong",
  text: "This is a mistake of ours. Please try again in a moment.",
};

/** The text for a person who followed a link. The fault's own text is for programs. */
function pageTextOf({ status }: Fault): PageText {
  switch (status) {
    case 404:
      return {
        title: "We cannot find this page",
        text: "The link may be incomplete or no longer in use. Please check it with whoever sent it to you.",
      };
    case 405:
      return { title: "This is a page to look at", text: "It cannot do anything else." };
    case 409:
      return { title: "Not possible at the moment", text: "Please load the page again." };
    case 429:
      return { title: "Too many requests", text: "Please wait a minute, then try again." };
    case 503:
    case 504:
      return {
        title: "Not available at the moment",
        text: "Please try again in a few seconds. Nothing is lost.",
      };
    default:
      return ourMistake;
  }
}

const style = `
:root { color-scheme: light dark; --ink: #14201c; --muted: #5a6a64; --paper: #f4f7f5; --raised: #fff; --line: #e2e9e5; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4ede9; --muted: #95a79f; --paper: #0d1411; --raised: #131c18; --line: #24302b; } }
body { display: grid; place-items: center; min-height: 100vh; margin: 0; padding: 1.25rem; box-sizing: border-box; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; }
main { max-width: 26rem; padding: 2rem; border: 1px solid var(--line); border-radius: 14px; background: var(--raised); }
h1 { margin: 0 0 0.75rem; font-size: 1.4rem; line-height: 1.25; letter-spacing: -0.01em; }
p { margin: 0; }
small { display: block; margin-top: 1.5rem; color: var(--muted); overflow-wrap: anywhere; }
`;

const policy = contentSecurityPolicy(style);

export function sendErrorPage(reply: FastifyReply, refusal: Fault, requestid: string): Outcome {
  reply
    .headers({ ...pageHeaders, "content-security-policy": policy, "cache-control": "no-store" })
    .type("text/html; charset=utf-8")
    .send(errorPage(refusal, requestid));
  return "answered";
}

function errorPage(refusal: Fault, requestid: string): string {
  const { title, text } = pageTextOf(refusal);
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title}</title>
        ${styleElement(style)}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          <p>${text}</p>
          <small>If you ask us about this, please mention ${requestid}</small>
        </main>
      </body>
    </html> `.text;
}
