/** The style sheet of the page. */
export const pageStyle = `
:root {
  --ink: #14201c; --muted: #55645e; --paper: #f3f6f4; --raised: #ffffff; --line: #d9e2dd;
  --accent: #0a7355; --on-accent: #ffffff; --soft: #e0f1ea; --bad: #a3261e; --bad-soft: #fbe6e4; --case: #10201a;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ink: #e4ede9; --muted: #9aaca4; --paper: #0d1411; --raised: #17211d; --line: #2a3832;
    --accent: #52d0a6; --on-accent: #06231a; --soft: #15332a; --bad: #ff9a92; --bad-soft: #3d1a18; --case: #000000;
  }
}
* { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0; min-height: 100vh; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", Arial, sans-serif; }
h1, h2, p { margin: 0 0 0.75rem; }
h1 { font-size: 1.5rem; line-height: 1.2; letter-spacing: -0.015em; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
main { max-width: 60rem; margin: 0 auto; padding: 1.25rem; display: grid; gap: 1.25rem; }
.about p:not(.problem) { max-width: 34rem; color: var(--muted); }
label { display: block; margin-bottom: 0.3rem; font-size: 0.9rem; font-weight: 600; }
input { width: 100%; min-height: 2.9rem; padding: 0 0.85rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); color: inherit; font: inherit; }
button { min-height: 2.9rem; padding: 0 1.25rem; border: 1px solid var(--line); border-radius: 10px; background: var(--raised); color: var(--ink); font: inherit; font-weight: 600; cursor: pointer; }
button.main, #choose button { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button:disabled { opacity: 0.55; cursor: default; }
.row { display: flex; gap: 0.6rem; max-width: 26rem; }
.row button { flex: none; }
p.problem { margin: 0.35rem 0 0; color: var(--bad); font-size: 0.9rem; }
.problem:empty { margin: 0; }
main.holding .about { order: 1; }

.phone { display: flex; flex-direction: column; width: 100%; max-width: 24rem; min-height: 34rem; margin: 0 auto; border: 10px solid var(--case); border-radius: 2.25rem; background: var(--raised); overflow: hidden; box-shadow: 0 1.5rem 3rem -1.5rem rgb(0 0 0 / 45%); }
.bar { display: flex; justify-content: space-between; gap: 1rem; padding: 0.7rem 1.2rem; font-size: 0.82rem; font-variant-numeric: tabular-nums; color: var(--muted); }
.bar span:first-child { color: var(--ink); font-weight: 600; white-space: nowrap; }
.screen { flex: 1; padding: 1.25rem 1.2rem 1.5rem; background: linear-gradient(var(--raised), var(--soft)); }
.clock { margin: 0.5rem 0 1.25rem; font-size: 3.4rem; font-weight: 300; line-height: 1; text-align: center; font-variant-numeric: tabular-nums; }
.idle { color: var(--muted); text-align: center; }
#messages { display: grid; gap: 0.6rem; margin: 0; padding: 0; list-style: none; }
#messages li { padding: 0.7rem 0.9rem; border-left: 4px solid var(--accent); border-radius: 12px; background: var(--raised); font-size: 0.92rem; box-shadow: 0 1px 2px rgb(0 0 0 / 12%); }
#messages li.not-paid { border-left-color: var(--bad); }

dialog { width: min(20rem, calc(100vw - 2.5rem)); padding: 1.25rem; border: 0; border-radius: 18px; background: var(--raised); color: var(--ink); box-shadow: 0 1rem 3rem rgb(0 0 0 / 40%); }
dialog::backdrop { background: rgb(8 20 15 / 55%); }
dialog h2 { color: var(--accent); font-size: 0.95rem; letter-spacing: 0.06em; }
#prompt-text { font-size: 1.1rem; line-height: 1.4; overflow-wrap: anywhere; }
.note { color: var(--muted); font-size: 0.9rem; overflow-wrap: anywhere; }
.note:empty { display: none; }
#pin { font-size: 1.5rem; letter-spacing: 0.5em; text-align: center; }
.left { display: flex; align-items: center; gap: 0.75rem; margin: 0.8rem 0; color: var(--muted); font-size: 0.82rem; font-variant-numeric: tabular-nums; white-space: nowrap; }
.track { flex: 1; display: flex; }
progress { width: 100%; height: 5px; border: 0; border-radius: 3px; background: var(--line); accent-color: var(--accent); appearance: none; overflow: hidden; }
progress::-webkit-progress-bar { background: var(--line); }
progress::-webkit-progress-value { background: var(--accent); }
progress::-moz-progress-bar { background: var(--accent); }
.keys { display: grid; grid-template-columns: 1fr 1fr; gap: 0.6rem; }

@media (min-width: 52rem) {
  main { grid-template-columns: 1fr 24rem; gap: 4rem; align-items: center; min-height: 100vh; padding: 2rem; }
  .phone { min-height: 44rem; }
  main.holding .about { order: 0; }
  h1 { font-size: 2rem; }
  /* Centred on the phone in the right column, and not on the window. */
  dialog { inset: 0 auto 0 calc(50vw + min(30rem, 50vw) - 24rem); margin: auto 0; }
}
@media (prefers-reduced-motion: no-preference) {
  dialog[open] { animation: rise 0.18s ease-out; }
  @keyframes rise { from { transform: translateY(1rem); opacity: 0; } }
}
`;
