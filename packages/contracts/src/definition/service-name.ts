export const serviceNames = [
  "gateway",
  "invoice",
  "payment",
  "subscription",
  "webhook",
  "scheduler",
] as const;
export type ServiceName = (typeof serviceNames)[number];
