import { type Html, html, styleElement } from "@malipo/core";
import { pagePolicy } from "@malipo/platform";
import { sanitizeUserText, qrModules, renderUserText } from "@malipo/print";
import type { InvoicePrint, PrintLine, PrintPayment } from "../printable-invoice.ts";
import { style } from "./style.ts";
import { totalRows } from "../total-rows.ts";
import {
  amountWords,
  dayWords,
  momentWords,
  moneyWords,
  quantityWords,
  statusWords,
} from "../format.ts";

export const invoicePagePolicy = pagePolicy(style);

/** The invoice as a page: no script, nothing from elsewhere, good on paper and on a phone. */
export function invoicePage(invoice: InvoicePrint): string {
  const { invoiceno, business, description } = invoice;
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>Invoice ${sanitizeUserText(invoiceno)} from ${sanitizeUserText(business)}</title>
        ${styleElement(style)}
      </head>
      <body>
        <main>
          ${head(invoice)} ${parties(invoice)}
          <h1>${renderUserText(invoice.title)}</h1>
          ${description === null ? undefined : html`<p class="description">${renderUserText(description)}</p>`}
          ${items(invoice.lines)} ${totals(invoice)}
          ${invoice.payments.length > 0 ? payments(invoice.payments) : undefined} ${pay(invoice)}
          <footer>
            <p>As of ${momentWords(invoice.asof)}, East Africa Time</p>
            <p><a href="${invoice.code}.pdf">Download as PDF</a></p>
          </footer>
        </main>
      </body>
    </html> `.text;
}

function head({ business, invoiceno, status }: InvoicePrint): Html {
  return html`<header>
    <p class="business">${renderUserText(business)}</p>
    <p class="number"><span>Invoice</span> ${renderUserText(invoiceno)}</p>
    <p class="status ${status}">${statusWords[status]}</p>
  </header>`;
}

function parties({ customer, issued, due, balance }: InvoicePrint): Html {
  const { name, email, phone } = customer;
  return html`<section class="parties">
    <div>
      <h2>Billed to</h2>
      <p class="customer">${renderUserText(name)}</p>
      ${[email, phone].map((each) => (each === null ? undefined : html`<p>${renderUserText(each)}</p>`))}
    </div>
    <dl>
      <div>
        <dt>Issued</dt>
        <dd>${dayWords(issued)}</dd>
      </div>
      <div>
        <dt>Due</dt>
        <dd>${dayWords(due)}</dd>
      </div>
      <div class="owed">
        <dt>Balance</dt>
        <dd>${moneyWords(balance)}</dd>
      </div>
    </dl>
  </section>`;
}

function items(lines: readonly PrintLine[]): Html {
  return html`<table class="items">
    <thead>
      <tr>
        <th scope="col">Item</th>
        <th scope="col">Quantity</th>
        <th scope="col">Price</th>
        <th scope="col">Amount</th>
      </tr>
    </thead>
    <tbody>
      ${lines.map(
        ({ name, quantity, rate, total }) =>
          html`<tr>
            <td>${renderUserText(name)}</td>
            <td>${quantityWords(quantity)}</td>
            <td>${amountWords(rate)}</td>
            <td>${amountWords(total)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}

function totals(invoice: InvoicePrint): Html {
  return html`<dl class="totals">
    ${totalRows(invoice).map(
      ({ name, amount, kind }) =>
        html`<div class="${kind}">
          <dt>${renderUserText(name)}</dt>
          <dd>${amount}</dd>
        </div> `,
    )}
  </dl>`;
}

function payments(paid: readonly PrintPayment[]): Html {
  return html`<section class="payments">
    <h2>Payments</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col">What</th>
          <th scope="col">Amount</th>
        </tr>
      </thead>
      <tbody>
        ${paid.map(
          ({ at, label, amount }) =>
            html`<tr>
              <td>${at ? momentWords(at) : "–"}</td>
              <td>${renderUserText(label)}</td>
              <td>${amountWords(amount)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`;
}

function pay({ suspended, payaddress, balance, business }: InvoicePrint): Html | undefined {
  if (suspended) {
    return html`<p class="note">
      ${renderUserText(business)} does not take payments at the moment.
    </p>`;
  }
  if (payaddress === null) return undefined;
  return html`<section class="pay">
    ${qr(payaddress)}
    <div>
      <h2>Pay by M-Pesa</h2>
      <p class="scan">
        Scan the code with a phone, or open <a href="${payaddress}">${payaddress}</a>
      </p>
      <p><a class="button" href="${payaddress}">Pay ${moneyWords(balance)}</a></p>
    </div>
  </section>`;
}

function qr(address: string): Html {
  const rows = qrModules(address);
  const path = rows.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  const size = rows.length;
  return html`<svg
    class="qr"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="QR code of the pay link"
    shape-rendering="crispEdges"
  >
    <path d="${path.join("")}" />
  </svg>`;
}
