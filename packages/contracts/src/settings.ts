import { z } from "zod";
import { shillings, title } from "./fields.ts";
import { route } from "./route.ts";

/** What a business decides for itself. */
export const settingsView = z.object({
  displayname: z.string(),
  feepercent: z.number(),
  feefixed: z.number(),
  /** Days from an invoice's issue until it falls due; weekly subscriptions have their own. */
  duedays: z.int(),
  duedaysweekly: z.int(),
  partpayment: z.boolean(),
});

export type SettingsView = z.infer<typeof settingsView>;

const days = z.int().min(0).max(365);

export const settingsChange = z.object({
  displayname: title.optional(),
  feepercent: z.number().min(0).max(100).optional(),
  feefixed: shillings.refine((amount) => amount >= 0, { error: "must not be negative" }).optional(),
  duedays: days.optional(),
  duedaysweekly: days.optional(),
  partpayment: z.boolean().optional(),
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
