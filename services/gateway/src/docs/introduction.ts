import type { OpenApiDocument } from "@malipo/contract-tools";
import { businessPlans } from "@malipo/contracts";
import { type Html, html } from "@malipo/core";
import { windowsFor } from "../domain/rate-limit/windows.ts";
import { errorTable } from "./error-table.ts";
import { fieldList, fieldsOf } from "./fields.ts";
import { capitalise } from "./headings.ts";
import { jsonText } from "./json-text.ts";
import { codeBlock } from "./operation-section.ts";

export interface Chapter {
  readonly id: string;
  readonly title: string;
  readonly text: Html;
  /** Shown beside the text on wide screens. */
  readonly example?: Html;
}

/** The chapters about all operations, so that the section of each operation can be short. */
export function introduction(document: OpenApiDocument): Chapter[] {
  return [
    authentication(document.servers[0].url),
    requests,
    errors(document),
    pagination,
    rateLimits(),
    idempotency,
    headers(document),
  ];
}

export const errorCodes: Chapter = {
  id: "refusals",
  title: "Error codes",
  text: html`<p>
      Every <code>code</code> there is. Texts may name the field or the record at hand; codes stay
      as they are.
    </p>
    ${errorTable()}`,
};

function authentication(serverUrl: string): Chapter {
  return {
    id: "authentication",
    title: "Authentication",
    text: html`<p>
        Every request carries your client secret as the whole value of the
        <code>Authorization</code> header. Clients that insist on it may put the word
        <code>Bearer</code> in front.
      </p>
      <p>
        A secret that begins with <code>sk_test_</code> belongs to the sandbox, one with
        <code>sk_live_</code> to the live environment; neither works in the other. Whoever has it
        acts as your business, so keep it on your servers: it belongs in no app and no browser.
      </p>`,
    example: codeBlock(
      "Your first request",
      `export MALIPO_SECRET=sk_test_…\n\ncurl ${serverUrl}/business/product/list \\\n  -H "Authorization: $MALIPO_SECRET"`,
    ),
  };
}

const requests: Chapter = {
  id: "requests",
  title: "Requests and values",
  text: html`<p>
      Bodies are JSON, sent as <code>application/json</code>, at most 256 KB. A field we do not know
      is ignored.
    </p>
    <ul class="facts">
      <li><strong>Money</strong> is a number of Kenyan shillings with at most two decimals.</li>
      <li><strong>Identifiers</strong> are 24 hexadecimal characters.</li>
      <li>
        <strong>Moments</strong> are ISO 8601 in UTC, like <code>2026-11-03T08:15:30.000Z</code>.
      </li>
      <li><strong>Phone numbers</strong> are 254 and nine digits, without a plus sign.</li>
    </ul>`,
};

function errors({ components }: OpenApiDocument): Chapter {
  const response = components.responses["Refusal429"];
  const example = response?.content["application/json"].examples?.["rate_limited"]?.value;
  const fields = fieldsOf(components.schemas["Failure"] ?? {}).map((field) =>
    // The codes have a table of their own.
    field.name === "code" ? { ...field, schema: { ...field.schema, enum: [] } } : field,
  );
  return {
    id: "errors",
    title: "Errors",
    text: html`<p>
        A refusal has <code>success: false</code>, a text for people in <code>error</code> (in
        <code>message</code> for subscriptions and their plans), and a <code>code</code> for
        programs. Branch on the code; <a href="#refusals">all of them</a> are listed below.
      </p>
      ${fieldList(fields, "answer")}
      <p>
        After <code>503</code> and <code>429</code> nothing has happened: send the request again
        later. After <code>500</code> and <code>504</code> a change may or may not have been made:
        send it again with the same <a href="#idempotency"><code>Idempotency-Key</code></a
        >.
      </p>`,
    ...(example !== undefined && { example: codeBlock("Answer 429", jsonText(example)) }),
  };
}

const pagination: Chapter = {
  id: "pagination",
  title: "Pagination",
  text: html`<p>
    Lists take <code>page</code>, from 1, and <code>limit</code>, 10 unless you say otherwise. A
    limit above 100 counts as 100. Beside <code>data</code>, the answer says where you are; in a
    list of more than 10,000 records <code>total</code> may be ten seconds old.
  </p>`,
  example: codeBlock("A list", jsonText({ meta: { total: 42, page: 2, limit: 10, pages: 5 } })),
};

function rateLimits(): Chapter {
  const columns = windowsFor("free", null, "plan").map(({ name }) => name);
  return {
    id: "rate-limits",
    title: "Rate limits",
    text: html`<p>Requests are counted for each secret, in all windows of your plan at once.</p>
      <div class="table">
        <table>
          <thead>
            <tr>
              <th>Plan</th>
              ${columns.map((name) => html`<th class="number">a ${name}</th>`)}
            </tr>
          </thead>
          <tbody>
            ${businessPlans.map(
              (plan) =>
                html`<tr>
                  <td>${capitalise(plan)}</td>
                  ${limitsOf(plan).map((limit) => html`<td class="number">${limit}</td>`)}
                </tr> `,
            )}
          </tbody>
        </table>
      </div>
      <p>
        Beside these, the list of products takes ${perMinute("product-list")} requests a minute and
        the details of products ${perMinute("product-details")}. Limits agreed with an enterprise
        replace all others.
      </p>
      <p>
        Every answer says how you stand in the window with the fewest requests left. Beyond a limit
        the answer is <code>429</code>; <code>Retry-After</code> and <code>retry_after</code> say in
        how many seconds there is room again.
      </p>`,
    example: codeBlock(
      "On every answer",
      "X-RateLimit-Limit: 1000\nX-RateLimit-Remaining: 973\nX-RateLimit-Reset: 1793694000",
    ),
  };
}

function perMinute(rateClass: "product-list" | "product-details"): number | undefined {
  return windowsFor("free", null, rateClass).find(({ name }) => name === rateClass)?.limit;
}

function limitsOf(plan: (typeof businessPlans)[number]): string[] {
  return windowsFor(plan, null, "plan").map(({ limit }) =>
    plan === "enterprise" ? "custom" : limit.toLocaleString("en"),
  );
}

const idempotency: Chapter = {
  id: "idempotency",
  title: "Idempotency",
  text: html`<p>
      Send an <code>Idempotency-Key</code> of your own making with <code>POST</code> and
      <code>PATCH</code>, and a request that got lost can simply be sent again: it is carried out
      once. For 24 hours the same request under the same key gets the first one's answer, byte for
      byte, marked <code>Idempotent-Replayed: true</code>.
    </p>
    <ul class="facts">
      <li>While the first one is still running, the second gets a <code>409</code>.</li>
      <li>A different request under a used key gets a <code>422</code>.</li>
      <li>
        A request that was refused frees its key, but for a <code>422</code>: repair it and use the
        key again.
      </li>
    </ul>`,
  example: codeBlock(
    "A key is any text you will not use twice",
    "Idempotency-Key: order-20417-charge",
  ),
};

function headers({ components }: OpenApiDocument): Chapter {
  const requestHeaders = Object.values(components.parameters);
  const answerHeaders = Object.entries(components.headers).map(([name, header]) => ({
    name,
    ...header,
  }));
  return {
    id: "headers",
    title: "Headers",
    text: html`<h4>You may send</h4>
      ${fieldList(requestHeaders, "answer")}
      <h4>We answer with</h4>
      ${fieldList(answerHeaders, "answer")}`,
  };
}
