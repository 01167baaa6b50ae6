/** A card on screens and phones, plain black text in print. */
export const receiptStyle = `
:root { color-scheme: light; --ink: #14201c; --muted: #5a6a64; --line: #dfe7e3; --paper: #f1f5f3; --accent: #0a7355; --soft: #e3f3ec; }
* { box-sizing: border-box; }
body { margin: 0; padding: 2rem 1rem; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
main { max-width: 30rem; margin: 0 auto; padding: 1.25rem 2rem 2rem; border-radius: 14px; background: #fff; box-shadow: 0 1px 2px rgb(20 32 28 / 0.08), 0 12px 40px rgb(20 32 28 / 0.07); }
h1, p, dl, dd { margin: 0; }
a { color: var(--accent); }
nav { text-align: right; font-size: 0.95rem; }
nav a { display: inline-block; padding: 0.5rem 0 0.5rem 1rem; }
header { padding-bottom: 1.5rem; text-align: center; }
svg { display: block; width: 3.25rem; height: 3.25rem; margin: 0.25rem auto 0.8rem; fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.disc { fill: var(--soft); stroke: none; }
h1 { font-size: 1.3rem; font-weight: 700; line-height: 1.25; letter-spacing: -0.015em; }
.number { margin-top: 0.2rem; color: var(--muted); }
.amount { margin-top: 0.9rem; font-size: 2.1rem; font-weight: 700; line-height: 1.2; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
dl div { display: flex; gap: 1.5rem; justify-content: space-between; padding: 0.6rem 0; border-top: 1px solid var(--line); }
dt { flex: none; color: var(--muted); }
dd { text-align: right; text-wrap: balance; font-variant-numeric: tabular-nums; }
.pdf { margin-top: 1.5rem; text-align: center; }
.pdf a { display: inline-block; padding: 0.5rem 1rem; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
@media screen and (max-width: 34rem) {
  body { padding: 0; background: #fff; }
  main { padding: 1rem 1.15rem 2rem; border-radius: 0; box-shadow: none; }
}
@media print {
  @page { margin: 18mm; }
  body { padding: 0; background: none; font-size: 11pt; }
  main { max-width: 120mm; margin: 0; padding: 0; box-shadow: none; }
  nav, svg, .pdf { display: none; }
  header { text-align: left; }
}
`;
