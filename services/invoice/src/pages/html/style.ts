/** The style sheet: a sheet of paper on a screen, a list on a phone, and black on white in print. */
export const style = `
:root { color-scheme: light; --ink: #14201c; --muted: #5a6a64; --line: #dfe7e3; --paper: #f1f5f3; --accent: #0a7355; }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
main { max-width: 50rem; margin: 0 auto; padding: 3rem 3.25rem 2rem; border-radius: 14px; background: #fff; box-shadow: 0 1px 2px rgb(20 32 28 / 0.08), 0 12px 40px rgb(20 32 28 / 0.07); }
h1, h2, p, dl, dd { margin: 0; }
h1 { margin: 2.25rem 0 0; font-size: 1.25rem; font-weight: 650; line-height: 1.3; letter-spacing: -0.01em; }
h2, th, dt { color: var(--muted); font-size: 0.8rem; font-weight: 500; text-align: left; }
a { color: var(--accent); }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums; }
dd { font-variant-numeric: tabular-nums; }

header { display: grid; grid-template-columns: 1fr auto; gap: 0.4rem 1.5rem; align-items: start; padding-bottom: 1.75rem; border-bottom: 1px solid var(--line); }
.business { grid-row: span 2; font-size: 1.6rem; font-weight: 700; line-height: 1.2; letter-spacing: -0.02em; }
.number { font-weight: 650; text-align: right; }
.number span { color: var(--muted); font-weight: 400; }
.status { justify-self: end; padding: 0.1rem 0.7rem; border-radius: 99px; background: #edf1ef; color: #3d4c46; font-size: 0.82rem; font-weight: 600; }
.status.paid { background: #def3e9; color: #075d44; }
.status.partially_paid { background: #fbf0d9; color: #7a4a00; }
.status.overdue { background: #fbe6e4; color: #a3211a; }
.status.cancelled { text-decoration: line-through; }

.parties { display: flex; flex-wrap: wrap; gap: 1.5rem 4rem; justify-content: space-between; margin-top: 1.75rem; }
.parties > div { flex: 1 1 14rem; }
.parties h2 { margin-bottom: 0.2rem; }
.parties p { color: var(--muted); }
.parties .customer { color: var(--ink); font-size: 1.05rem; font-weight: 600; }
.parties dl { flex: 0 1 auto; min-width: 17rem; }
.parties dl div { display: flex; gap: 1.5rem; justify-content: space-between; padding: 0.12rem 0; }
.parties .owed dd { font-weight: 650; }
.description { max-width: 38rem; margin-top: 0.5rem; color: var(--muted); white-space: pre-line; }

.items { margin-top: 1.5rem; }
th { padding: 0 0 0.5rem; border-bottom: 1px solid var(--ink); }
td { padding: 0.65rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.items td:first-child { padding-right: 1.5rem; }
.items :is(th, td):not(:first-child), .payments :is(th, td):last-child { padding-left: 2rem; text-align: right; white-space: nowrap; }
tr { break-inside: avoid; }

.totals { width: 20rem; max-width: 100%; margin: 0.75rem 0 0 auto; break-inside: avoid; }
.totals div { display: flex; gap: 1.5rem; justify-content: space-between; padding: 0.3rem 0; }
.totals dt { font-size: inherit; }
.totals dd { white-space: nowrap; }
.totals .total { margin-top: 0.3rem; padding-top: 0.6rem; border-top: 1px solid var(--ink); font-size: 1.1rem; font-weight: 680; }
.totals .balance { font-weight: 650; }
.totals :is(.total, .balance) dt { color: inherit; font-weight: inherit; }

.payments { margin-top: 2.25rem; }
.payments h2 { margin-bottom: 0.6rem; color: var(--ink); font-size: 1rem; font-weight: 650; }
.payments td { padding: 0.45rem 1.5rem 0.45rem 0; overflow-wrap: break-word; }
.payments td:first-child { white-space: nowrap; }
.payments td:last-child { padding-right: 0; }

.pay { display: flex; gap: 1.75rem; align-items: center; margin-top: 2.25rem; padding: 1.5rem; border: 1px solid var(--line); border-radius: 12px; break-inside: avoid; }
.pay h2 { color: var(--ink); font-size: 1.05rem; font-weight: 650; }
.pay .scan { margin: 0.15rem 0 0.9rem; color: var(--muted); }
.qr { flex: none; width: 7.5rem; height: 7.5rem; }
.button { display: inline-block; padding: 0.7rem 1.5rem; border-radius: 10px; background: var(--accent); color: #fff; font-weight: 650; text-decoration: none; }
.button:hover { background: #075d44; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.note { margin-top: 2rem; padding: 0.9rem 1.25rem; border-radius: 12px; background: var(--paper); }
footer { display: flex; flex-wrap: wrap; gap: 0.5rem 2rem; justify-content: space-between; margin-top: 2.5rem; color: var(--muted); font-size: 0.85rem; }

@media screen and (max-width: 40rem) {
  body { padding: 0; background: #fff; }
  main { padding: 1.5rem 1.15rem 2rem; border-radius: 0; box-shadow: none; }
  header { padding-bottom: 1.25rem; }
  .business { grid-row: auto; grid-column: 1 / -1; font-size: 1.4rem; }
  .number { text-align: left; }
  .parties { margin-top: 1.25rem; }
  .parties dl { min-width: 100%; }
  .items thead { display: none; }
  .items { display: block; border-top: 1px solid var(--ink); }
  .items tbody { display: block; }
  .items tr { display: grid; grid-template-columns: auto auto 1fr auto; padding: 0.7rem 0; border-bottom: 1px solid var(--line); }
  .items td { padding: 0; border: 0; }
  .items td:nth-child(1) { grid-area: 1 / 1 / 2 / 4; }
  .items td:nth-child(2) { grid-area: 2 / 1; padding: 0; color: var(--muted); font-size: 0.88rem; }
  .items td:nth-child(2)::after { content: "\\00a0×\\00a0"; }
  .items td:nth-child(3) { grid-area: 2 / 2; padding: 0; color: var(--muted); font-size: 0.88rem; }
  .items td:nth-child(4) { grid-area: 1 / 4; }
  .totals { width: 100%; }
  .pay { display: block; margin-top: 1.75rem; padding: 0; border: 0; }
  .pay .qr, .pay h2, .pay .scan { display: none; }
  .button { display: block; padding: 0.95rem; text-align: center; font-size: 1.05rem; }
  .payments td { padding-right: 0.75rem; }
  .payments td:nth-child(1) { white-space: normal; }
  .payments :is(th, td):last-child { padding-left: 0; }
}
@media print {
  @page { margin: 16mm 15mm 18mm; @bottom-right { content: counter(page) " / " counter(pages); color: #5a6a64; font: 8pt sans-serif; } }
  html { font-size: 80%; }
  body { padding: 0; background: none; font-size: 9.5pt; }
  .qr { width: 6.5rem; height: 6.5rem; }
  header { padding-bottom: 1rem; }
  h1, .parties, .payments { margin-top: 1.25rem; }
  td { padding-top: 0.4rem; padding-bottom: 0.4rem; }
  .totals div { padding: 0.15rem 0; }
  .pay { margin-top: 1.5rem; padding: 1rem; }
  footer { margin-top: 1.25rem; }
  main { max-width: none; padding: 0; border-radius: 0; box-shadow: none; }
  .status { border: 1px solid currentColor; }
  .pay p:last-child, footer a { display: none; }
  .pay .scan { margin-bottom: 0; }
  .scan a { color: inherit; text-decoration: none; }
}
`;
