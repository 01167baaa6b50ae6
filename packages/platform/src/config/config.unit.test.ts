import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ConfigError, platformConfig, readConfig } from "./config.ts";

const enough = { NATS_URL: "nats://127.0.0.1:4222", MONGODB_URI: "mongodb://127.0.0.1:27017/" };

function problemsOf(environment: Record<string, string>): string {
  try {
    readConfig(platformConfig, environment);
    return "";
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
}

describe("readConfig", () => {
  it("fills in defaults and freezes the result", () => {
    const config = readConfig(platformConfig, enough);
    expect(config).toMatchObject({ NAMESPACE: "malipo", LOG_LEVEL: "info", HEALTH_PORT: 9090 });
    expect(Object.isFrozen(config)).toBe(true);
  });

  it("reports all problems at once, with the description of each variable", () => {
    const problems = problemsOf({
      MONGODB_URI: "localhost",
      LOG_LEVEL: "loud",
      HEALTH_PORT: "80000",
    });
    expect(problems).toMatch(/NATS_URL is missing: the address of NATS/);
    expect(problems).toMatch(/MONGODB_URI is not valid: the connection string/);
    expect(problems).toMatch(/LOG_LEVEL is not valid: one of fatal/);
    expect(problems).toMatch(/HEALTH_PORT is not valid: the port of/);
  });

  it("treats an empty variable as absent", () => {
    expect(problemsOf({ ...enough, NATS_URL: "" })).toMatch(/NATS_URL is missing/);
    expect(readConfig(platformConfig, { ...enough, LOG_LEVEL: "" }).LOG_LEVEL).toBe("info");
  });

  it("rejects a user and password in NATS_URL", () => {
    const problems = problemsOf({ ...enough, NATS_URL: "nats://me:secret@127.0.0.1:4222" });
    expect(problems).toMatch(/NATS_URL is not valid: .* have their own variables/);
  });

  it("does not repeat a value in its error", () => {
    const schema = z.object({ TOKEN: z.string().min(32).describe("a token of 32 characters") });
    expect(() => readConfig(schema, { TOKEN: "hunter2" })).toThrow(
      "The configuration is not valid:\n  TOKEN is not valid: a token of 32 characters",
    );
  });
});
