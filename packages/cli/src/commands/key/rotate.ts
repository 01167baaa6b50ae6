import { routes } from "@malipo/contracts";
import { secondMs } from "@malipo/core";
import { command } from "../../command-line/command.ts";
import { parseDuration } from "../../command-line/duration.ts";

const usualOverlap = "24h";

export const keyRotate = command({
  name: "key rotate",
  about: "Issue a new secret; the old one works on for a while",
  example: "malipo key rotate 507f1f77bcf86cd799439011 --overlap 30m",
  args: { keyid: { about: "The old key's id" } },
  options: {
    overlap: {
      takes: "duration",
      about: `How long the old secret still works: 0 to 7d, ${usualOverlap} if not given`,
    },
  },
  run: async ({ keyid, overlap = usualOverlap }, { api, print }) => {
    const overlapseconds = parseDuration("--overlap", overlap) / secondMs;
    const asked = { params: { id: keyid }, body: { overlapseconds } };
    const { data, message } = await api.ask(routes.rotateKey, asked);
    print.record(data, [
      message,
      overlapseconds === 0
        ? "The old secret no longer works."
        : `The old secret works for another ${overlap}.`,
      "The new secret is shown only this once: keep it now.",
    ]);
  },
});
