import { faultRules, type Html, html, type RetryAdvice } from "@malipo/core";

const adviceFor = {
  never: "Sent again, it is refused again.",
  later: "Send it again after Retry-After.",
  "same-key-only":
    "It may have happened. Send it again with the same Idempotency-Key, or look first.",
} as const satisfies Record<RetryAdvice, string>;

/** All error codes, so that programs can be written against them. */
export function errorTable(): Html {
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
              <td>${adviceFor[retry]}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
