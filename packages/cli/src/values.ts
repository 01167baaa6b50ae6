import type { RateLimits, BusinessPlan } from "@malipo/contracts";
import { businessPlans } from "@malipo/contracts";
import { parseIsoDate } from "@malipo/core";
import { nearest } from "./nearest.ts";
import { usageProblem } from "./problem.ts";

// What flags say is read here and judged by the API, but for what cannot even be written down as JSON.

export function parseWholeNumber(flag: string, text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw usageProblem(`${flag} must be a whole number.`);
  return Number(text);
}

export function parseNumber(flag: string, text: string): number {
  if (!/^-?\d{1,15}(\.\d{1,15})?$/.test(text)) throw usageProblem(`${flag} must be a number.`);
  return Number(text);
}

export function parseTruth(flag: string, text: string): boolean {
  if (text !== "true" && text !== "false") throw usageProblem(`${flag} must be true or false.`);
  return text === "true";
}

export function parsePlan(text: string): BusinessPlan {
  return parseChoice("The plan", text, businessPlans);
}

export function parseChoice<Choice extends string>(
  what: string,
  text: string,
  choices: readonly Choice[],
): Choice {
  const choice = choices.find((candidate) => candidate === text);
  if (choice !== undefined) return choice;
  const meant = nearest(text, choices);
  throw usageProblem(
    `${what} must be one of: ${choices.join(", ")}.${meant ? ` Did you mean ${meant}?` : ""}`,
  );
}

/** A date, for its last moment in Nairobi, or a moment. */
export function parseUntil(flag: string, text: string): Date {
  const moment = parseIsoDate(text, "end");
  if (moment) return moment;
  throw usageProblem(
    `${flag} must be a date like 2026-08-31 or a moment like 2026-08-31T12:00:00Z.`,
  );
}

/** Requests per second, minute and day. */
export function parseLimits(text: string): RateLimits {
  const numbers = text.split(",").map((part) => part.trim());
  const [second, minute, day] = numbers;
  if (numbers.length !== 3 || !numbers.every((part) => /^\d{1,15}$/.test(part))) {
    throw usageProblem("--limits must be three whole numbers: second,minute,day.");
  }
  return { second: Number(second), minute: Number(minute), day: Number(day) };
}
