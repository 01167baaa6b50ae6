const errorLevel = 50;
const lineMax = 2000;

/** Returns the text to show for a log line, or undefined if the line is not a problem. */
export function findProblem(line: string): string | undefined {
  const text = line.trimEnd();
  if (text === "") return undefined;
  if (text.startsWith("{")) return findProblemInJson(text);
  if (text.startsWith("listening on ")) return undefined;
  if (isServerLog(text)) return /\[(ERR|FTL)\]/.test(text) ? text.slice(0, lineMax) : undefined;
  return text.slice(0, lineMax);
}

/** nats-server begins its lines with "[pid] date time [LEVEL]". Other text that is not JSON comes from a crash. */
function isServerLog(text: string): boolean {
  return /^\[\d+\] \d{4}\/\d\d\/\d\d /.test(text);
}

function findProblemInJson(text: string): string | undefined {
  // Most lines are not problems, so most lines are not parsed.
  if (!/"level":\s*(?:[5-9]\d|"error"|"fatal")/.test(text)) return undefined;
  const record = parse(text);
  if (record === undefined || !isProblem(record["level"])) return undefined;
  const message = typeof record["msg"] === "string" ? record["msg"] : "";
  return (
    `${message}${formatCause(record["err"])}`.trim().slice(0, lineMax) || text.slice(0, lineMax)
  );
}

function isProblem(level: unknown): boolean {
  return (
    level === "error" || level === "fatal" || (typeof level === "number" && level >= errorLevel)
  );
}

function formatCause(error: unknown): string {
  if (typeof error !== "object" || error === null || !("message" in error)) return "";
  return typeof error.message === "string" ? ` (${error.message})` : "";
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const record: unknown = JSON.parse(text);
    return typeof record === "object" && record !== null ? { ...record } : undefined;
  } catch {
    return undefined;
  }
}
