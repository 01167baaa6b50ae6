import type { OpenApiHeader, OpenApiParameter, OpenApiReference } from "./types.ts";

const text = { type: "string" } as const;
const wholeNumber = { type: "integer", minimum: 0 } as const;

export const headers = {
  "X-Request-Id": {
    description: "Names the request in our logs: quote it when you ask us about one.",
    required: true,
    schema: { ...text, examples: ["req_3f2b8c1e-5d0a-4b7e-9a36-1c4d2e8f7a90"] },
  },
  "X-RateLimit-Limit": {
    description: "Requests in the window with the fewest left.",
    required: true,
    schema: { ...wholeNumber, examples: [1_000] },
  },
  "X-RateLimit-Remaining": {
    description: "Requests left in it.",
    required: true,
    schema: { ...wholeNumber, examples: [973] },
  },
  "X-RateLimit-Reset": {
    description: "When it begins anew, in Unix seconds.",
    required: true,
    schema: { ...wholeNumber, examples: [1_793_694_000] },
  },
  "Retry-After": {
    description: "Seconds after which the request may be sent again.",
    schema: { ...wholeNumber, examples: [1] },
  },
  "Idempotent-Replayed": {
    description: "Set when this is the kept answer of an earlier request with the same key.",
    schema: { ...text, const: "true" },
  },
  "WWW-Authenticate": {
    description: "How to authenticate.",
    required: true,
    schema: { ...text, examples: ['Bearer realm="malipo"'] },
  },
} as const satisfies Record<string, OpenApiHeader>;

export type HeaderName = keyof typeof headers;

export const standardHeaders: readonly HeaderName[] = [
  "X-Request-Id",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
];

export function headerReferences(names: readonly HeaderName[]): Record<string, OpenApiReference> {
  return Object.fromEntries(
    names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const),
  );
}

/** Request headers: `X-Request-Id` for any request, `Idempotency-Key` for writes. */
export const headerParameters = {
  RequestId: {
    name: "X-Request-Id",
    in: "header",
    required: false,
    description:
      "A request id of your own: 8 to 100 letters, digits, dots, dashes and underscores. Anything else is replaced.",
    schema: { ...text, examples: ["order-2026.11"] },
  },
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    required: false,
    description:
      "Makes the request safe to repeat for 24 hours: 1 to 255 printable ASCII characters, never the same for two different requests.",
    schema: {
      ...text,
      pattern: "^[\\x20-\\x7e]+$",
      minLength: 1,
      // A key may be sent in quotes, which are not part of it.
      maxLength: 257,
      examples: ["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    },
  },
} as const satisfies Record<string, OpenApiParameter>;
