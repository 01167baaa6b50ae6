import { createApiClient } from "./api/api-client.ts";
import { operatorAudience } from "./api/audience.ts";
import { findLocation, type LocationSources } from "./api/location.ts";
import { CommandError, exitCodes } from "./command-error.ts";
import { parseArguments } from "./command-line/arguments.ts";
import { buildCommandHelp, buildOverview } from "./command-line/help.ts";
import { commands } from "./commands.ts";
import { createPrinter, type Output } from "./output/printer.ts";

/** Everything of the process that a run uses. */
export interface CliEnvironment extends LocationSources {
  readonly output: Output;
  readonly clock: () => Date;
  /** See `CommandContext`. */
  readonly catchInterrupt: () => AbortSignal;
}

/** Runs one command and returns the exit code. */
export async function runCli(
  argv: readonly string[],
  environment: CliEnvironment,
): Promise<number> {
  try {
    await runCommand(argv, environment);
    return exitCodes.success;
  } catch (error) {
    const { kind, message, lines } =
      error instanceof CommandError ? error : createUnexpectedError(error);
    const text = [message, ...lines.map((line) => `  ${line}`)];
    environment.output.err(text.map((line) => `${line}\n`).join(""));
    return exitCodes[kind];
  }
}

async function runCommand(argv: readonly string[], environment: CliEnvironment): Promise<void> {
  const { output, clock, catchInterrupt } = environment;
  const invocation = parseArguments(argv, commands);
  if (invocation.kind === "help") {
    const [first, second] = invocation.commands;
    const help = first && !second ? buildCommandHelp(first) : buildOverview(invocation.commands);
    return output.out(`${help.join("\n")}\n`);
  }
  const { command, values } = invocation;
  const flags = { url: readText(values["url"]), token: readText(values["token"]) };
  const printer = createPrinter(output, values["json"] === true, clock);
  try {
    const find = () => findLocation(flags, environment, command.audience ?? operatorAudience);
    const api = createApiClient(find);
    await command.run(values, { api, printer, clock, findLocation: find, catchInterrupt });
  } finally {
    printer.endProgress();
  }
}

function readText(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function createUnexpectedError(error: unknown): CommandError {
  const reason = error instanceof Error ? error.message : String(error);
  return new CommandError("refused", `malipo failed with an unexpected error: ${reason}`);
}
