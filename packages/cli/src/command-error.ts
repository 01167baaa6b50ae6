/** The exit codes of the process, for scripts. */
export const exitCodes = { success: 0, refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends a command: a sentence for the operator, and lines that are shown indented below it. */
export class CommandError extends Error {
  override readonly name = "CommandError";
  readonly kind: Exclude<keyof typeof exitCodes, "success">;
  readonly lines: readonly string[];
  /** The HTTP status, if the API answered. */
  readonly status: number | undefined;

  constructor(
    kind: CommandError["kind"],
    sentence: string,
    lines: readonly string[] = [],
    status?: number,
  ) {
    super(sentence);
    this.kind = kind;
    this.lines = lines;
    this.status = status;
  }
}

export function usageError(sentence: string, lines: readonly string[] = []): CommandError {
  return new CommandError("usage", sentence, lines);
}
