import { UserError } from "./terminal/user-error.ts";
import { seedOnce } from "./seed/seed.ts";

/** Seeds a system that was not started by `npm start`, for example by Docker Compose. */
async function main(): Promise<void> {
  const { API_URL, OPERATOR_URL, OPERATOR_TOKEN, SEED_FILE } = process.env;
  if (!API_URL || !OPERATOR_URL || !OPERATOR_TOKEN || !SEED_FILE) {
    throw new UserError("API_URL, OPERATOR_URL, OPERATOR_TOKEN and SEED_FILE are needed.");
  }
  const seeded = await seedOnce(SEED_FILE, {
    apiurl: API_URL,
    operatorurl: OPERATOR_URL,
    operatorToken: OPERATOR_TOKEN,
  });
  process.stdout.write(`The demo business exists:\n${JSON.stringify(seeded, null, 2)}\n`);
}

await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof UserError ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
