import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="8" y="2" width="16" height="28" rx="4" fill="#0b7a5c"/><rect x="10" y="6" width="12" height="18" rx="1" fill="#e4f3ed"/><circle cx="16" cy="27" r="1.4" fill="#e4f3ed"/></svg>`;

/** The page contains no data. The script adds the prompts, as text and never as HTML. */
export function buildPhonePage(): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Phone · M-Pesa simulator</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
<style>${pageStyle}</style>
</head>
<body>
<main id="main">
<section class="about">
<h1>A phone for the sandbox</h1>
<p>While this page is open, payment prompts to its number ring here and wait for you, instead of paying by themselves.</p>
<p>Any four digits are the right PIN, but <strong>0000</strong> is a wrong one. Pressing nothing lets the prompt run out.</p>
<form id="choose" method="get" action="/phone">
<label for="number">Phone number</label>
<div class="row"><input id="number" name="number" inputmode="tel" autocomplete="off" required maxlength="20" placeholder="0712 345 678" aria-describedby="number-problem"><button>Hold it</button></div>
<p id="number-problem" class="problem" role="alert"></p>
</form>
</section>
<section class="phone" id="phone" aria-label="The phone" hidden>
<div class="bar"><span id="own-number"></span><span id="line" role="status">Connecting…</span></div>
<div class="screen">
<p class="clock" id="clock" aria-hidden="true"></p>
<p class="idle" id="idle">No prompt yet. Ask for a payment from this number and it rings here.</p>
<ol id="messages" role="log" aria-label="Messages"></ol>
</div>
<dialog id="prompt" aria-labelledby="prompt-title" aria-describedby="prompt-text">
<form id="keys" method="dialog" autocomplete="off">
<h2 id="prompt-title">M-PESA</h2>
<p id="prompt-text"></p>
<p id="prompt-note" class="note"></p>
<label for="pin">M-PESA PIN</label>
<input id="pin" type="password" inputmode="numeric" pattern="[0-9]{4}" maxlength="4" required autocomplete="off" title="Four digits" autofocus>
<p class="left"><span class="track" aria-hidden="true"><progress id="left" max="60" value="60"></progress></span><span id="seconds"></span></p>
<div class="keys"><button type="button" id="cancel">Cancel</button><button id="send" class="main">Send</button></div>
<p id="problem" class="problem" role="alert"></p>
</form>
</dialog>
</section>
</main>
<script>${pageScript}</script>
</body>
</html>
`;
}
