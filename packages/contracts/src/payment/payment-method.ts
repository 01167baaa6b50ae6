import { z } from "zod";
import { objectId, recordTimes } from "../definition/fields.ts";
import { pageQuery } from "../definition/paging.ts";
import { route } from "../definition/route.ts";

const fieldDocs = {
  type: { description: "How M-Pesa knows the business: a paybill number or a till." },
  shortcode: {
    description: "The number that customers pay to: the paybill number, or the till.",
    examples: ["174379"],
  },
  storenumber: {
    description: "Of a till: its store (head office) number, which is not the till's own.",
    examples: ["600980"],
  },
  consumerkey: {
    description: "Of the app on the Daraja portal.",
    examples: ["GvzjNnYgNJtwgwfLBkZh"],
  },
  consumersecret: {
    description: "Of the same app. It is never shown again.",
    examples: ["eXaMpLe"],
  },
  passkey: {
    description: "From M-Pesa's go-live email: the passkey itself, no ready-made password.",
    examples: ["bfb279f9aa9bdbcf158e97dd71a467cd"],
  },
  default: {
    description: "Whether payments are taken with it; of several, one is.",
    examples: [true],
  },
};

const number = z.string().regex(/^\d{5,7}$/, { error: "must be 5 to 7 digits" });
/** A secret that is pasted with spaces around it would fail only later, so they are removed. */
const secret = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^[\x21-\x7e]*$/, { error: "must be printable characters without spaces" });

const methodView = z.object({
  _id: objectId.meta({ description: "The payment method's identifier." }),
  type: z.enum(["paybill", "till"]).meta(fieldDocs.type),
  shortcode: z.string().meta(fieldDocs.shortcode),
  storenumber: z.string().nullable().meta(fieldDocs.storenumber),
  default: z.boolean().meta(fieldDocs.default),
  ...recordTimes,
});

export type PaymentMethodView = z.infer<typeof methodView>;

interface MethodDraft {
  readonly type: "paybill" | "till";
  readonly storenumber?: string | undefined;
}

const shared = { audience: "public", service: "payment", rateClass: "plan" } as const;
const methodParams = { id: "payment method" } as const;

export const paymentMethodRoutes = {
  createPaymentMethod: route({
    ...shared,
    verb: "create-payment-method",
    method: "POST",
    path: "/business/payment-method/create",
    summary: "Set up how payments are taken; the first one is used at once",
    body: z
      .object({
        type: z.enum(["paybill", "till"]).meta(fieldDocs.type),
        shortcode: number.meta(fieldDocs.shortcode),
        storenumber: number.optional().meta(fieldDocs.storenumber),
        consumerkey: secret.meta(fieldDocs.consumerkey),
        consumersecret: secret.meta(fieldDocs.consumersecret),
        passkey: secret.meta(fieldDocs.passkey),
      })
      .refine(({ type, storenumber }: MethodDraft) => type === "paybill" || storenumber, {
        path: ["storenumber"],
        error: "is required for a till",
      }),
    reply: { status: 201, message: "Payment method created successfully", data: methodView },
  }),
  listPaymentMethods: route({
    ...shared,
    verb: "list-payment-methods",
    method: "GET",
    path: "/business/payment-method/list",
    summary: "List payment methods, newest first",
    query: pageQuery,
    reply: { status: 200, data: z.array(methodView), paging: "meta" },
  }),
  getPaymentMethod: route({
    ...shared,
    verb: "get-payment-method",
    method: "GET",
    path: "/business/payment-method/details/:id",
    summary: "One payment method",
    params: methodParams,
    reply: { status: 200, data: methodView },
  }),
  updatePaymentMethod: route({
    ...shared,
    verb: "update-payment-method",
    method: "PATCH",
    path: "/business/payment-method/update/:id",
    summary: "Change a payment method; payments under way keep the settings they began with",
    params: methodParams,
    body: z.object({
      shortcode: number.optional().meta(fieldDocs.shortcode),
      storenumber: number.optional().meta(fieldDocs.storenumber),
      consumerkey: secret.optional().meta(fieldDocs.consumerkey),
      consumersecret: secret.optional().meta(fieldDocs.consumersecret),
      passkey: secret.optional().meta(fieldDocs.passkey),
      default: z.literal(true).optional().meta(fieldDocs.default),
    }),
    reply: { status: 200, message: "Payment method updated successfully", data: methodView },
  }),
  deletePaymentMethod: route({
    ...shared,
    verb: "delete-payment-method",
    method: "POST",
    path: "/business/payment-method/delete/:id",
    summary: "Take no more payments with it; those under way go on",
    params: methodParams,
    reply: { status: 200, message: "Payment method deleted successfully", data: methodView },
  }),
  testPaymentMethod: route({
    ...shared,
    verb: "test-payment-method",
    method: "POST",
    path: "/business/payment-method/test/:id",
    summary: "Ask M-Pesa whether it takes these settings; no phone is prompted",
    params: methodParams,
    faultCodes: ["provider_refused", "provider_unreachable"],
    reply: {
      status: 200,
      message: "Payment method works",
      data: z.object({ _id: objectId.meta({ description: "The payment method's identifier." }) }),
    },
  }),
} as const;
