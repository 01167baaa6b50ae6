import { createHash } from "node:crypto";
import { z } from "zod";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { parseJson } from "../http/parse-json.ts";
import { jsonReply } from "../http/reply.ts";
import type { Prompts } from "../prompts/prompts.ts";
import { buildPhonePage } from "./page-html.ts";
import { pageScript } from "./page-script.ts";
import { pageStyle } from "./page-style.ts";
import type { PhoneStreams } from "./phone-streams.ts";

function hashSource(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const pageHeaders = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${hashSource(pageStyle)}`,
    `script-src ${hashSource(pageScript)}`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join("; "),
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cache-control": "no-store",
};

/** The page is the same for every number: its script reads the number from the address. */
export function showPhone(): Handler {
  const body = buildPhonePage();
  return () => ({
    kind: "reply",
    reply: { status: 200, type: "text/html; charset=utf-8", body },
    headers: pageHeaders,
  });
}

export function followPhone(streams: PhoneStreams): Handler {
  return ({ query }): Answer => {
    const phone = query.get("number") ?? "";
    if (!/^254[17]\d{8}$/.test(phone)) {
      return answerWith(jsonReply(400, { error: "number is 254 and nine digits" }));
    }
    return {
      kind: "stream",
      attach: (response) => {
        if (streams.attach(phone, response)) return;
        response.writeHead(503, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "too many phones are open" }));
      },
    };
  };
}

const wrongPin = "0000";
const keyPress = z.union([
  z.strictObject({ id: z.string().max(128), pin: z.string().regex(/^\d{4}$/) }),
  z.strictObject({ id: z.string().max(128), cancel: z.literal(true) }),
]);

/** Accepts JSON only: a form on another site cannot send that content type, so it cannot press keys. */
export function pressKey(prompts: Prompts): Handler {
  return ({ headers, body }): Answer => {
    const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
    const parsed = keyPress.safeParse(isJson ? parseJson(body) : undefined);
    if (!parsed.success) {
      return answerWith(jsonReply(400, { error: "wants JSON: an id, and a pin or cancel" }));
    }
    const prompt = prompts.find(parsed.data.id);
    if (!prompt) return answerWith(jsonReply(404, { error: "no such prompt" }));
    const result = chooseResult(parsed.data, prompt.behaviour.result);
    return prompts.end(prompt, result)
      ? answerWith(jsonReply(200, { ended: true }))
      : answerWith(jsonReply(409, { error: "the prompt has ended" }));
  };
}

function chooseResult(pressed: z.output<typeof keyPress>, resultOfRightPin: string): string {
  if ("cancel" in pressed) return "1032";
  return pressed.pin === wrongPin ? "2001" : resultOfRightPin;
}
