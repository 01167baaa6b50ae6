/** One card with large text and large buttons, for phones first, in light and dark. */
export const style = `
:root { color-scheme: light dark; --ink: #14201c; --muted: #5a6a64; --line: #dfe7e3; --field: #b9c6c0; --paper: #f1f5f3; --raised: #fff; --accent: #0a7355; --press: #075d44; --on: #fff; --bad: #a3211a; --soft: #e3f3ec; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4ede9; --muted: #9bb0a7; --line: #24302b; --field: #45574f; --paper: #0d1411; --raised: #131c18; --accent: #3fc49b; --press: #63d6b2; --on: #06231a; --bad: #ff9d95; --soft: #17302a; } }
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; overflow-wrap: anywhere; -webkit-text-size-adjust: 100%; }
main { max-width: 27rem; min-height: 100vh; margin: 0 auto; padding: 1rem 1.15rem 2rem; background: var(--raised); }
h1, h2, p, dl, dd { margin: 0; }
nav { text-align: right; font-size: 0.95rem; }
nav a { display: inline-block; padding: 0.5rem 0 0.5rem 1rem; }
a { color: var(--accent); }
h1 { font-size: 1.35rem; font-weight: 700; line-height: 1.25; letter-spacing: -0.015em; }
.for { margin-top: 0.35rem; }
.about { margin-top: 0.15rem; color: var(--muted); font-size: 0.95rem; white-space: pre-line; }
.sum { margin: 1.1rem 0 0; padding: 0.9rem 1.1rem; border-radius: 12px; background: var(--paper); }
.sum dt, .sum .note { color: var(--muted); font-size: 0.92rem; }
.sum dd { font-size: 1.9rem; font-weight: 700; line-height: 1.25; letter-spacing: -0.02em; font-variant-numeric: tabular-nums; }
.sum .note { margin-top: 0.25rem; font-weight: 400; letter-spacing: 0; }
form, section { margin-top: 1.4rem; }
label { display: block; font-weight: 600; }
.field + .field { margin-top: 1.1rem; }
.hint { color: var(--muted); font-size: 0.92rem; }
input { display: block; width: 100%; min-height: 3.4rem; margin-top: 0.35rem; padding: 0.6rem 0.9rem; border: 1.5px solid var(--field); border-radius: 10px; background: var(--raised); color: inherit; font: inherit; font-size: 1.3rem; font-variant-numeric: tabular-nums; }
input[aria-invalid="true"] { border-color: var(--bad); }
.problem { margin-top: 0.35rem; color: var(--bad); font-size: 0.95rem; }
button, .button { display: block; width: 100%; min-height: 3.4rem; margin-top: 1.3rem; padding: 0.85rem 1rem; border: 0; border-radius: 10px; background: var(--accent); color: var(--on); font: inherit; font-size: 1.15rem; font-weight: 680; line-height: 1.4; text-align: center; text-decoration: none; cursor: pointer; }
button:hover, .button:hover { background: var(--press); }
button:disabled { opacity: 0.55; cursor: default; }
.quiet { border: 1.5px solid var(--field); background: none; color: inherit; }
.quiet:hover { background: var(--paper); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
h2:focus { outline: none; }
.pin { margin-top: 0.8rem; color: var(--muted); font-size: 0.92rem; }
.state { padding: 1.5rem 1.2rem; border: 1px solid var(--line); border-radius: 14px; text-align: center; }
.state h2 { font-size: 1.3rem; font-weight: 700; line-height: 1.3; letter-spacing: -0.01em; }
.state p { margin-top: 0.5rem; }
.state :is(h2, p) { text-wrap: balance; }
.state svg { display: block; width: 3.5rem; height: 3.5rem; margin: 0 auto 0.8rem; fill: none; stroke: var(--accent); stroke-width: 2.5; stroke-linecap: round; stroke-linejoin: round; }
.state .disc { fill: var(--soft); stroke: none; }
.notpaid svg { stroke: var(--bad); }
.turning { animation: turn 1.1s linear infinite; transform-origin: 24px 24px; }
@keyframes turn { to { transform: rotate(360deg); } }
@media (prefers-reduced-motion: reduce) { .turning { animation-duration: 4s; } }
progress { display: block; width: 100%; height: 0.5rem; margin-top: 1.1rem; border: 0; border-radius: 99px; background: var(--line); appearance: none; overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { border-radius: 99px; background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.state .left { margin-top: 0.4rem; color: var(--muted); font-size: 0.92rem; font-variant-numeric: tabular-nums; }
.facts { margin-top: 1rem; text-align: left; }
.facts div { display: flex; flex-wrap: wrap; gap: 0 1rem; justify-content: space-between; padding: 0.45rem 0; border-top: 1px solid var(--line); }
.facts dt { color: var(--muted); }
.facts dd { margin-left: auto; font-weight: 600; text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
@media (min-width: 40rem) {
  body { padding: 3rem 1rem; }
  main { min-height: 0; padding: 1.25rem 2rem 2rem; border-radius: 16px; box-shadow: 0 1px 2px rgb(20 32 28 / 0.08), 0 12px 40px rgb(20 32 28 / 0.07); }
}
`;
