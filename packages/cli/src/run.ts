import { createApi } from "./api/api-client.ts";
import { readArguments } from "./command-line/arguments.ts";
import { commands } from "./commands.ts";
import { operatorDoor } from "./api/audience.ts";
import { commandHelp, overview } from "./command-line/help.ts";
import { locate, type Surroundings } from "./api/location.ts";
import { createPrint, type Output } from "./output/printer.ts";
import { exitCodes, Problem } from "./command-error.ts";

/** All of a run but the process: what was typed in, text and an exit code out. */
export interface World extends Surroundings {
  readonly output: Output;
  readonly clock: () => Date;
  /** See `Context`. */
  readonly untilInterrupted: () => AbortSignal;
}

export async function runCli(argv: readonly string[], world: World): Promise<number> {
  try {
    await runCommand(argv, world);
    return exitCodes.success;
  } catch (error) {
    const { kind, message, lines } = error instanceof Problem ? error : unexpected(error);
    const text = [message, ...lines.map((line) => `  ${line}`)];
    world.output.err(text.map((line) => `${line}\n`).join(""));
    return exitCodes[kind];
  }
}

async function runCommand(argv: readonly string[], world: World): Promise<void> {
  const { output, clock, untilInterrupted } = world;
  const request = readArguments(argv, commands);
  if (request.kind === "help") {
    const [only, another] = request.commands;
    const help = only && !another ? commandHelp(only) : overview(request.commands);
    return output.out(`${help.join("\n")}\n`);
  }
  const { command, values } = request;
  const flags = { url: textOf(values["url"]), token: textOf(values["token"]) };
  const print = createPrint(output, values["json"] === true, clock);
  try {
    const where = () => locate(flags, world, command.door ?? operatorDoor);
    const api = createApi(where);
    await command.run(values, { api, print, clock, locate: where, untilInterrupted });
  } finally {
    print.endProgress();
  }
}

function textOf(value: string | boolean | undefined): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function unexpected(error: unknown): Problem {
  const reason = error instanceof Error ? error.message : String(error);
  return new Problem("refused", `malipo failed in a way nobody foresaw: ${reason}`);
}
