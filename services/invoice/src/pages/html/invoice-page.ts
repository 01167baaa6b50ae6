import { type Html, html, styleElement } from "@malipo/core";
import { contentSecurityPolicy } from "@malipo/platform";
import { sanitizeUserText, qrModules, renderUserText } from "@malipo/print";
import type { PrintableInvoice, PrintableLine, PrintablePayment } from "../printable-invoice.ts";
import { style } from "./style.ts";
import { buildTotalRows } from "../total-rows.ts";
import {
  formatAmount,
  formatDay,
  formatTime,
  formatMoney,
  formatQuantity,
  statusLabels,
} from "../format.ts";

export const invoicePagePolicy = contentSecurityPolicy(style);

/** Renders the page for a screen, a phone and paper. It has no script and loads nothing. */
export function renderInvoicePage(invoice: PrintableInvoice): string {
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
          ${renderHead(invoice)} ${renderParties(invoice)}
          <h1>${renderUserText(invoice.title)}</h1>
          ${description === null ? undefined : html`<p class="description">${renderUserText(description)}</p>`}
          ${renderItems(invoice.lines)} ${renderTotals(invoice)}
          ${invoice.payments.length > 0 ? renderPayments(invoice.payments) : undefined}
          ${renderPayBox(invoice)}
          <footer>
            <p>As of ${formatTime(invoice.asof)}, East Africa Time</p>
            <p><a href="${invoice.code}.pdf">Download as PDF</a></p>
          </footer>
        </main>
      </body>
    </html> `.text;
}

function renderHead({ business, invoiceno, status }: PrintableInvoice): Html {
  return html`<header>
    <p class="business">${renderUserText(business)}</p>
    <p class="number"><span>Invoice</span> ${renderUserText(invoiceno)}</p>
    <p class="status ${status}">${statusLabels[status]}</p>
  </header>`;
}

function renderParties({ customer, issued, due, balance }: PrintableInvoice): Html {
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
        <dd>${formatDay(issued)}</dd>
      </div>
      <div>
        <dt>Due</dt>
        <dd>${formatDay(due)}</dd>
      </div>
      <div class="owed">
        <dt>Balance</dt>
        <dd>${formatMoney(balance)}</dd>
      </div>
    </dl>
  </section>`;
}

function renderItems(lines: readonly PrintableLine[]): Html {
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
            <td>${formatQuantity(quantity)}</td>
            <td>${formatAmount(rate)}</td>
            <td>${formatAmount(total)}</td>
          </tr> `,
      )}
    </tbody>
  </table>`;
}

function renderTotals(invoice: PrintableInvoice): Html {
  return html`<dl class="totals">
    ${buildTotalRows(invoice).map(
      ({ name, amount, kind }) =>
        html`<div class="${kind}">
          <dt>${renderUserText(name)}</dt>
          <dd>${amount}</dd>
        </div> `,
    )}
  </dl>`;
}

function renderPayments(payments: readonly PrintablePayment[]): Html {
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
        ${payments.map(
          ({ at, label, amount }) =>
            html`<tr>
              <td>${at ? formatTime(at) : "–"}</td>
              <td>${renderUserText(label)}</td>
              <td>${formatAmount(amount)}</td>
            </tr> `,
        )}
      </tbody>
    </table>
  </section>`;
}

function renderPayBox({
  suspended,
  payaddress,
  balance,
  business,
}: PrintableInvoice): Html | undefined {
  if (suspended) {
    return html`<p class="note">
      ${renderUserText(business)} does not take payments at the moment.
    </p>`;
  }
  if (payaddress === null) return undefined;
  return html`<section class="pay">
    ${renderQrCode(payaddress)}
    <div>
      <h2>Pay by M-Pesa</h2>
      <p class="scan">
        Scan the code with a phone, or open <a href="${payaddress}">${payaddress}</a>
      </p>
      <p><a class="button" href="${payaddress}">Pay ${formatMoney(balance)}</a></p>
    </div>
  </section>`;
}

function renderQrCode(address: string): Html {
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
