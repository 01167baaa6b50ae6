import type { OpenApiDocument } from "@malipo/contract-tools";
import { type Html, html, styleElement } from "@malipo/core";
import { icon } from "./icon.ts";
import { type Chapter, introduction, errorCodes } from "./introduction.ts";
import { methodBadge, operationSection } from "./operation-section.ts";
import { type Resource, resourcesOf } from "./operations.ts";
import { sandboxNumbersChapter } from "./sandbox-numbers.ts";
import { style } from "./style.ts";

/** The API reference as one HTML page without scripts and without external resources. */
export function docsPage(document: OpenApiDocument): string {
  const { info, servers } = document;
  const chapters = introduction(document);
  const resources = resourcesOf(document);
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${info.title} API reference</title>
        <meta name="description" content="${info.description}" />
        <link rel="icon" href="${icon}" />
        ${styleElement(style)}
      </head>
      <body id="top">
        <a class="skip" href="#main">To the reference</a>
        <header class="bar">
          <a class="brand" href="#main"
            ><img src="${icon}" alt="" width="28" height="28" /> ${info.title} <span>API</span></a
          >
          <a class="to-contents" href="#contents">Contents</a>
          <a class="raw" href="/openapi.json">openapi.json</a>
        </header>
        <div class="columns">
          <div class="opening">
            <h1>${info.title} API reference</h1>
            <p class="lead">${info.description}</p>
            <p class="base"><span>Base address</span> <code>${servers[0].url}</code></p>
          </div>
          ${contents(chapters, resources)}
          <main id="main">
            ${chapters.map(chapterSection)}
            ${resources.map((resource) => resourceSection(resource, servers[0].url))}
            ${chapterSection(sandboxNumbersChapter)} ${chapterSection(errorCodes)}
          </main>
        </div>
      </body>
    </html> `;
  return page.text;
}

function contents(chapters: readonly Chapter[], resources: readonly Resource[]): Html {
  return html`<nav id="contents" aria-label="Contents">
    <h2>Basics</h2>
    <ul>
      ${[...chapters, sandboxNumbersChapter, errorCodes].map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li> `)}
    </ul>
    ${resources.map(
      ({ name, title, operations }) =>
        html`<h2><a href="#resource-${name}">${title}</a></h2>
          <ul>
            ${operations.map(
              ({ id, method, path, operation }) =>
                html`<li>
                  <a href="#${id}" title="${path}"
                    >${methodBadge(method)} <span>${shortened(operation.summary)}</span></a
                  >
                </li> `,
            )}
          </ul> `,
    )}
  </nav>`;
}

/** The part of a summary before its first punctuation mark. */
function shortened(summary: string): string {
  return summary.split(/[;,:]/)[0] ?? summary;
}

function chapterSection({ id, title, text, example }: Chapter): Html {
  return html`<section class="${example ? "chapter split" : "chapter"}" id="${id}">
    <div class="text">
      <h2><a href="#${id}">${title}</a></h2>
      ${text}
    </div>
    ${example && html`<div class="example">${example}</div>`}
  </section> `;
}

function resourceSection({ name, title, description, operations }: Resource, url: string): Html {
  return html`<section class="resource" id="resource-${name}">
      <h2><a href="#resource-${name}">${title}</a></h2>
      <p>${description}</p>
    </section>
    ${operations.map((operation) => operationSection(operation, url))}`;
}
