import { sandboxNumbers } from "@malipo/contracts";
import { type Html, html } from "@malipo/core";
import type { Chapter } from "./introduction.ts";

export const sandboxNumbersChapter: Chapter = {
  id: "sandbox-numbers",
  title: "Testing with M-Pesa numbers",
  text: html`<p>
      In the sandbox no phone rings and no money moves: who is asked to pay does so, about a second
      later. These numbers end otherwise, the same way every time.
    </p>
    ${sandboxNumbers.map(
      ({ id, title, range, about, numbers }) =>
        html`<h3 id="sandbox-${id}">${title}</h3>
          <p><code>${range}</code> ${about}</p>
          ${numberTable(numbers)}`,
    )}`,
};

function numberTable(numbers: readonly { number: string; what: string }[]): Html {
  return html`<div class="table">
    <table>
      <thead>
        <tr>
          <th>Number</th>
          <th>What happens</th>
        </tr>
      </thead>
      <tbody>
        ${numbers.map(
          ({ number, what }) =>
            html`<tr>
              <td><code>${number}</code></td>
              <td>${what}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </div>`;
}
