import { createHash } from "node:crypto";
import { z } from "zod";
import { type Answer, answerWith, type Handler } from "../http/answer.ts";
import { jsonReply } from "../daraja/replies.ts";
import { parseJson } from "../http/parse-json.ts";
import type { Prompts } from "../prompts/prompts.ts";
import { phonePage } from "./page-html.ts";
import { script } from "./page-script.ts";
import { style } from "./page-style.ts";
import type { PhoneWatch } from "./phone-streams.ts";

function hash(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}

const headers = {
  "content-security-policy": [
    "default-src 'none'",
    `style-src ${hash(style)}`,
    `script-src ${hash(script)}`,
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

/** The page reads its number from its own address, so it is the same for everybody. */
export function showPhone(): Handler {
  const body = phonePage();
  return () => ({
    kind: "reply",
    reply: { status: 200, type: "text/html; charset=utf-8", body },
    headers,
  });
}

export function followPhone(watch: PhoneWatch): Handler {
  return ({ query }): Answer => {
    const phone = query.get("number") ?? "";
    if (!/^254[17]\d{8}$/.test(phone)) {
      return answerWith(jsonReply(400, { error: "number is 254 and nine digits" }));
    }
    return {
      kind: "stream",
      attach: (response) => {
        if (watch.attach(phone, response)) return;
        response.writeHead(503, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "too many phones are open" }));
      },
    };
  };
}

const wrongPin = "0000";
const press = z.union([
  z.strictObject({ id: z.string().max(128), pin: z.string().regex(/^\d{4}$/) }),
  z.strictObject({ id: z.string().max(128), cancel: z.literal(true) }),
]);

/** A form of another site cannot send this content type, so nobody else's page presses the keys. */
export function pressKey(prompts: Prompts): Handler {
  return ({ headers, body }): Answer => {
    const isJson = /^application\/json\b/i.test(headers["content-type"] ?? "");
    const pressed = press.safeParse(isJson ? parseJson(body) : undefined);
    if (!pressed.success) {
      return answerWith(jsonReply(400, { error: "wants JSON: an id, and a pin or cancel" }));
    }
    const prompt = prompts.find(pressed.data.id);
    if (!prompt) return answerWith(jsonReply(404, { error: "no such prompt" }));
    const result = resultOf(pressed.data, prompt.behaviour.result);
    return prompts.end(prompt, result)
      ? answerWith(jsonReply(200, { ended: true }))
      : answerWith(jsonReply(409, { error: "the prompt has ended" }));
  };
}

function resultOf(pressed: z.output<typeof press>, whenPaid: string): string {
  if ("cancel" in pressed) return "1032";
  return pressed.pin === wrongPin ? "2001" : whenPaid;
}
