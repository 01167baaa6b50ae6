import { z } from "zod";
import { price, title } from "../definition/fields.ts";
import { route } from "../definition/route.ts";

const fieldDocs = {
  displayname: {
    description: "The name that customers see, in one line.",
    examples: ["Duka la Asha"],
  },
  feepercent: { description: "Fee in percent. For information only.", examples: [1.5] },
  feefixed: {
    description: "Fee in shillings, with at most two decimals. For information only.",
    examples: [10],
  },
  duedays: { description: "Days from an invoice's issue until it falls due.", examples: [7] },
  duedaysweekly: { description: "The same for weekly subscriptions.", examples: [3] },
  partpayment: { description: "Whether an invoice may be paid in parts.", examples: [true] },
};

/** The settings that a business changes itself. */
export const settingsView = z.object({
  displayname: z.string().meta(fieldDocs.displayname),
  feepercent: z.number().meta(fieldDocs.feepercent),
  feefixed: z.number().meta(fieldDocs.feefixed),
  duedays: z.int().meta(fieldDocs.duedays),
  duedaysweekly: z.int().meta(fieldDocs.duedaysweekly),
  partpayment: z.boolean().meta(fieldDocs.partpayment),
});

export type SettingsView = z.infer<typeof settingsView>;

const days = z.int().min(0).max(365);

export const settingsChange = z.object({
  displayname: title.optional().meta(fieldDocs.displayname),
  feepercent: z.number().min(0).max(100).optional().meta(fieldDocs.feepercent),
  feefixed: price.optional().meta(fieldDocs.feefixed),
  duedays: days.optional().meta(fieldDocs.duedays),
  duedaysweekly: days.optional().meta(fieldDocs.duedaysweekly),
  partpayment: z.boolean().optional().meta(fieldDocs.partpayment),
});

export const settingsRoutes = {
  getSettings: route({
    audience: "public",
    service: "gateway",
    verb: "get-settings",
    method: "GET",
    path: "/business/settings",
    summary: "The business's own settings",
    rateClass: "plan",
    reply: { status: 200, data: settingsView },
  }),
  updateSettings: route({
    audience: "public",
    service: "gateway",
    verb: "update-settings",
    method: "PATCH",
    path: "/business/settings/update",
    summary: "Change settings; only what is sent changes",
    rateClass: "plan",
    body: settingsChange,
    reply: { status: 200, message: "Settings updated successfully", data: settingsView },
  }),
} as const;
