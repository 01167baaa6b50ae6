/** How a command can end, for scripts. */
export const exitCodes = { success: 0, refused: 1, usage: 2, unreachable: 3 } as const;

/** Ends a command from wherever it is: a sentence for the operator, and lines beneath it. */
export class Problem extends Error {
  override readonly name = "Problem";
  readonly kind: Exclude<keyof typeof exitCodes, "success">;
  readonly lines: readonly string[];
  /** The API's own, if it answered. */
  readonly status: number | undefined;

  constructor(
    kind: Problem["kind"],
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

export function usageProblem(sentence: string, lines: readonly string[] = []): Problem {
  return new Problem("usage", sentence, lines);
}
