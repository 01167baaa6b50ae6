import { type Html, html } from "@malipo/core";
import { faultRules, type RetryAdvice } from "@malipo/core";

const advice = {
  never: "Sent again, it is refused again.",
  later: "Send it again after Retry-After.",
  "same-key-only":
    "It may have happened. Send it again with the same Idempotency-Key, or look first.",
} as const satisfies Record<RetryAdvice, string>;

/** Every code there is, so that a program can be written against it. */
export function refusalTable(): Html {
  const rows = Object.entries(faultRules).toSorted(([, a], [, b]) => a.status - b.status);
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th>Status</th>
          <th>Code</th>
          <th>Text</th>
          <th>What to do</th>
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          ([code, { status, text, retry }]) =>
            html`<tr id="code-${code}">
              <td><span class="status">${status}</span></td>
              <td><code>${code}</code></td>
              <td>${text}</td>
              <td>${advice[retry]}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
