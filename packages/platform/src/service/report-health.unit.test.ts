import { expect, it } from "vitest";
import { reportedSettings } from "./report-health.ts";

it("a health report has the settings that matter to others, and of secrets a fingerprint", () => {
  const config = {
    STREAM_REPLICAS: 3,
    CALLBACK_ADDRESSES: ["196.201.214.200", "196.201.214.206"],
    CALLBACK_KEY: ["secret"],
    NATS_PASSWORD: "secret",
  };
  expect(reportedSettings(config)).toEqual({
    STREAM_REPLICAS: "3",
    CALLBACK_ADDRESSES: "196.201.214.200,196.201.214.206",
    CALLBACK_KEY: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(reportedSettings({ CALLBACK_ADDRESSES: [] })).toEqual({ CALLBACK_ADDRESSES: "" });
});
