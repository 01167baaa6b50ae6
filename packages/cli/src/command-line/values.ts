import type { RateLimits, BusinessPlan } from "@malipo/contracts";
import { businessPlans } from "@malipo/contracts";
import { parseIsoDate } from "@malipo/core";
import { usageError } from "../command-error.ts";
import { findClosestMatch } from "./closest-match.ts";

// The API validates values. These functions only reject text that cannot be sent as JSON at all.

export function parseWholeNumber(flag: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw usageError(`${flag} must be a whole number.`);
  return Number(text);
}

export function parseNumber(flag: string, text: string): number {
  if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw usageError(`${flag} must be a number.`);
  return Number(text);
}

export function parseBoolean(flag: string, text: string): boolean {
  if (text !== "true" && text !== "false") throw usageError(`${flag} must be true or false.`);
  return text === "true";
}

export function parsePlan(text: string): BusinessPlan {
  return parseChoice("The plan", text, businessPlans);
}

export function parseChoice<Choice extends string>(
  subject: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  const suggestion = findClosestMatch(text, choices);
  throw usageError(
    `${subject} must be one of: ${choices.join(", ")}.${suggestion ? ` Did you mean ${suggestion}?` : ""}`,
  );
}

/** Parses a date, as its last moment in Nairobi, or a date with time. */
export function parseUntil(flag: string, text: string): Date {
  const moment = parseIsoDate(text, "end");
  if (moment) return moment;
  throw usageError(`${flag} must be a date like 2026-08-31 or a moment like 2026-08-31T12:00:00Z.`);
}

/** Requests per second, minute and day. */
export function parseLimits(text: string): RateLimits {
  const numbers = text.split(",").map((part) => part.trim());
  const [second, minute, day] = numbers;
  if (numbers.length !== 3 || !numbers.every((part) => /^\d{1,15}$/.test(part))) {
    throw usageError("--limits must be three whole numbers: second,minute,day.");
  }
  return { second: Number(second), minute: Number(minute), day: Number(day) };
}
