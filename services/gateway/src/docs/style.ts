/** The style sheet of the page. Each colour is defined once, for light and for dark. */
export const style = `
:root {
  --ink: #14201c; --muted: #5a6a64; --paper: #fbfcfb; --raised: #ffffff; --line: #e2e9e5;
  --accent: #0a7355; --soft: #e4f3ed; --code: #10201a; --code-line: #21382f; --code-ink: #d6e6df;
  --get: #1d5fbf; --get-soft: #e5eefb; --post: #0a7355; --post-soft: #e0f3eb;
  --patch: #9a5b00; --patch-soft: #faeed9; --delete: #b3261e; --delete-soft: #fbe6e4;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "JetBrains Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4ede9; --muted: #95a79f; --paper: #0d1411; --raised: #131c18; --line: #24302b;
    --accent: #52d0a6; --soft: #15332a; --code: #080e0b; --code-line: #1f2c26; --code-ink: #cfe0d8;
    --get: #86b6ff; --get-soft: #152740; --post: #52d0a6; --post-soft: #12332a;
    --patch: #f0b75c; --patch-soft: #37290f; --delete: #ff9a92; --delete-soft: #3d1a18;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4.5rem; -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Helvetica Neue", Arial, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover { text-decoration: underline; text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 4px; }
code { font-family: var(--mono); font-size: 0.875em; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
.skip { position: absolute; left: -100rem; top: 0.5rem; z-index: 3; padding: 0.5rem 1rem; background: var(--raised); }
.skip:focus { left: 0.5rem; }

.bar { position: sticky; top: 0; z-index: 2; display: flex; align-items: center; gap: 1.25rem; height: 3.5rem; padding: 0 1.25rem; background: var(--paper); border-bottom: 1px solid var(--line); font-size: 0.9rem; }
.brand { display: flex; align-items: center; gap: 0.6rem; margin-right: auto; color: var(--ink); font-size: 1.05rem; font-weight: 650; letter-spacing: -0.01em; }
.brand:hover { text-decoration: none; }
.brand span { color: var(--muted); font-weight: 400; }
.raw { font-family: var(--mono); font-size: 0.8rem; }

.columns { max-width: 96rem; margin: 0 auto; }
nav { padding: 1.5rem 1.25rem; border: solid var(--line); border-width: 1px 0; background: var(--raised); }
nav h2 { margin: 1.25rem 0 0.35rem; color: var(--muted); font-size: 0.75rem; font-weight: 650; letter-spacing: 0.06em; text-transform: uppercase; }
nav h2:first-child { margin-top: 0; }
nav h2 a { color: inherit; }
nav ul:first-of-type { columns: 2; }
nav ul { margin: 0; padding: 0; list-style: none; }
nav li a { display: flex; align-items: center; gap: 0.6rem; min-height: 2.5rem; padding: 0.2rem 0.6rem; margin: 0 -0.6rem; border-radius: 7px; color: var(--ink); font-size: 0.92rem; line-height: 1.35; }
nav .method { width: 4.4em; }
nav li a:hover { background: var(--soft); text-decoration: none; }
main { min-width: 0; padding: 0 1.25rem 6rem; }

h1, h2, h3 { line-height: 1.2; letter-spacing: -0.018em; }
h1 { margin: 0 0 0.75rem; font-size: clamp(1.9rem, 5vw, 2.6rem); font-weight: 700; }
main > section:first-child { border-top: 0; }
main h2 { margin: 0 0 0.9rem; font-size: 1.55rem; font-weight: 680; }
h3 { margin: 0 0 0.6rem; font-size: 1.2rem; font-weight: 650; }
h4 { margin: 1.75rem 0 0.25rem; color: var(--muted); font-size: 0.78rem; font-weight: 650; letter-spacing: 0.06em; text-transform: uppercase; }
h2 > a, h3 > a { color: inherit; }
.opening { padding: 2.25rem 1.25rem 2rem; }
.lead { max-width: 40rem; color: var(--muted); font-size: 1.15rem; }
.base { display: inline-flex; flex-wrap: wrap; gap: 0.25rem 0.75rem; align-items: baseline; margin: 0; padding: 0.5rem 0.9rem; border: 1px solid var(--line); border-radius: 9px; background: var(--raised); }
.base span { color: var(--muted); font-size: 0.85rem; }
section.chapter, section.operation { padding: 2.25rem 0; border-top: 1px solid var(--line); }
section.resource { padding: 3rem 0 1.75rem; border-top: 1px solid var(--line); }
section.resource h2 { font-size: 1.9rem; }
section.resource p { max-width: 44rem; margin: 0; color: var(--muted); }
.text { min-width: 0; max-width: 46rem; }
.facts { margin: 0 0 1rem; padding-left: 1.15rem; }
.facts li { margin-bottom: 0.35rem; }
.facts li::marker { color: var(--accent); }

.method { flex: none; display: inline-block; min-width: 3.4em; padding: 0.12em 0.5em; border-radius: 5px; font: 650 0.68rem/1.6 var(--mono); text-align: center; letter-spacing: 0.02em; }
.get { color: var(--get); background: var(--get-soft); }
.post { color: var(--post); background: var(--post-soft); }
.patch { color: var(--patch); background: var(--patch-soft); }
.delete { color: var(--delete); background: var(--delete-soft); }
.more { margin: 0.9rem 0 0; color: var(--muted); }
.route { display: flex; align-items: center; gap: 0.65rem; margin: 0; padding: 0.55rem 0.8rem; border: 1px solid var(--line); border-radius: 9px; background: var(--raised); }
.route .method { font-size: 0.75rem; }
.status { display: inline-block; padding: 0 0.45em; border-radius: 5px; background: var(--soft); color: var(--accent); font: 600 0.8rem/1.6 var(--mono); letter-spacing: 0; }

.fields { margin: 0; padding: 0; list-style: none; }
.fields > li { padding: 0.65rem 0; border-bottom: 1px solid var(--line); }
.fields > li:last-child { border-bottom: 0; }
.fields .fields { margin: 0.5rem 0 0; padding-left: 1rem; border-left: 2px solid var(--line); }
.fields p { margin: 0; color: var(--muted); font-size: 0.92rem; }
.fields .field { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.1rem 0.6rem; }
.field .name { color: var(--ink); font-size: 0.9rem; font-weight: 650; }
.type { font-size: 0.82rem; }
.required { color: var(--patch); font-size: 0.78rem; font-weight: 600; }
.rule { padding: 0 0.45rem; border: 1px solid var(--line); border-radius: 5px; font-size: 0.76rem; white-space: nowrap; }
.choices code, td code, .refusals code { padding: 0.1em 0.4em; border-radius: 5px; background: var(--soft); }
.refusals { margin: 0.5rem 0 0; padding: 0; list-style: none; }
.refusals li { display: grid; grid-template-columns: 2.6rem 1fr; align-items: baseline; padding: 0.2rem 0; }
.refusals .status { background: none; padding: 0; color: var(--muted); }
.refusals .codes { display: flex; flex-wrap: wrap; gap: 0.3rem 0.45rem; }
.refusals code { color: var(--ink); font-size: 0.78rem; background: none; border: 1px solid var(--line); }
.refusals a:hover code { border-color: var(--accent); color: var(--accent); }

.example { min-width: 0; margin-top: 1.75rem; }
figure { margin: 0 0 1rem; overflow: hidden; border: 1px solid var(--code-line); border-radius: 11px; background: var(--code); color: var(--code-ink); }
figcaption { padding: 0.5rem 1rem; border-bottom: 1px solid var(--code-line); color: #8fa79c; font-size: 0.78rem; }
pre { margin: 0; padding: 0.9rem 1rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; max-height: 34rem; font: 0.8rem/1.6 var(--mono); tab-size: 2; }
pre code { font-size: inherit; }
.k { color: #8fc7ff; } .s { color: #9be3b4; } .n { color: #f5c27a; }

.table { overflow-x: auto; margin: 0 0 1.25rem; border: 1px solid var(--line); border-radius: 11px; background: var(--raised); }
table { width: 100%; border-collapse: collapse; font-size: 0.9rem; }
th, td { padding: 0.55rem 0.9rem; border-top: 1px solid var(--line); text-align: left; vertical-align: baseline; }
thead th { border-top: 0; color: var(--muted); font-size: 0.78rem; font-weight: 600; white-space: nowrap; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td code { white-space: nowrap; }
tr:target { background: var(--soft); }
#refusals .text { max-width: none; }
section:target > .text > h2 > a, section:target > .text > h3 > a { color: var(--accent); }

@media (max-width: 40rem) {
  #refusals thead { display: none; }
  #refusals tr { display: block; padding: 0.8rem 0.9rem; border-top: 1px solid var(--line); }
  #refusals tr:first-child { border-top: 0; }
  #refusals td { display: block; padding: 0.1rem 0; border: 0; }
  #refusals td:nth-child(-n + 2) { display: inline-block; margin: 0 0.4rem 0.2rem 0; }
  #refusals td:last-child { color: var(--muted); }
}
@media (max-width: 30rem) { th, td { padding: 0.5rem 0.6rem; } }
@media (min-width: 60rem) {
  .to-contents { display: none; }
  .columns { display: grid; grid-template: auto 1fr / 17rem minmax(0, 1fr); }
  nav { grid-row: 1 / span 2; position: sticky; top: 3.5rem; align-self: start; height: calc(100vh - 3.5rem); overflow-y: auto; padding: 1.75rem 1.25rem 2rem; border-width: 0 1px 0 0; background: none; }
  nav ul:first-of-type { columns: auto; }
  .opening { grid-column: 2; padding: 3rem 2.5rem 2.5rem; }
  nav li a { min-height: 1.95rem; font-size: 0.86rem; }
  main > section:first-child { border-top: 1px solid var(--line); }
  main { grid-column: 2; padding: 0 2.5rem 8rem; }
}
@media (min-width: 75rem) {
  .operation, .split { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 28.5rem); gap: 3rem; }
  .example { position: sticky; top: 5.75rem; align-self: start; margin-top: 0.25rem; }
}
`;
