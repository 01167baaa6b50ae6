import { routes } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { defineCommand } from "../../command-line/command.ts";
import { parseDuration } from "../../command-line/duration.ts";

const defaultOverlap = "24h";

export const keyRotate = defineCommand({
  name: "key rotate",
  description: "Issue a new secret; the old one keeps working for a while",
  example: "malipo key rotate 507f1f77bcf86cd799439011 --overlap 30m",
  args: { keyid: { description: "The old key's id" } },
  options: {
    overlap: {
      valueName: "duration",
      description: `How long the old secret still works: 0 to 7d, ${defaultOverlap} if not given`,
    },
  },
  run: async ({ keyid, overlap = defaultOverlap }, { api, printer }) => {
    const overlapseconds = parseDuration("--overlap", overlap) / secondMs;
    const input = { params: { id: keyid }, body: { overlapseconds } };
    const { data, message } = await api.call(routes.rotateKey, input);
    printer.record(data, [
      message,
      overlapseconds === 0
        ? "The old secret no longer works."
        : `The old secret works for another ${overlap}.`,
      "The new secret is shown only this once: keep it now.",
    ]);
  },
});
