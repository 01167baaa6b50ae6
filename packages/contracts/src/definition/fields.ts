import { maxShillings, parseId, parsePercent, parseShillings } from "@malipo/core";
import { z } from "zod";

// A message that begins with a capital letter is a whole sentence and is shown as it is.
// A message in small letters is shown after the field's path ("price must be at least 0").

export const objectId = z
  .string()
  .refine((text) => parseId(text) !== null, { error: "must be 24 hexadecimal characters" })
  .meta({
    description: "24 hexadecimal characters.",
    pattern: "^[0-9a-fA-F]{24}$",
    examples: ["6743f1b2c9e8a45d3f0b7c21"],
  });

/** Shillings in JSON, cents in the code. Amounts in requests are converted only here. */
export const shillings = z.number().transform((amount, check) => {
  const parsed = parseShillings(amount);
  if (parsed.ok) return parsed.value;
  check.addIssue({ code: "custom", message: moneyProblems[parsed.error] });
  return z.NEVER;
});

const moneyProblems = {
  "not a number": "must be a number",
  "more than two decimals": "must have at most two decimals",
  "too large": "is too large",
} as const;

export const price = shillings
  .refine((amount) => amount >= 0, { error: "must not be negative" })
  .meta({
    description: "Shillings, with at most two decimals.",
    minimum: 0,
    maximum: maxShillings,
    examples: [250.5],
  });

export const phone = z
  .string({ error: "Invalid phone number format" })
  .regex(/^254\d{9}$/, { error: "Invalid phone number format" })
  .meta({ description: "254 followed by nine digits.", examples: ["254712345678"] });

/** A name has no control characters. A longer text (`description`) may have tabs and line breaks. */
export const title = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\p{Cc}\p{Cs}]*$/u, { error: "must not contain control characters" });
export const description = z
  .string()
  .trim()
  .max(2_000)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|[\t\r\n])*$/u, {
    error: "must not contain control characters",
  });
export const email = z
  .email({ error: "must be an email address" })
  .max(254)
  .meta({ description: "An email address.", examples: ["asha@example.co.ke"] });

export const timestamp = z.iso
  .datetime()
  .meta({ description: "A moment in UTC.", examples: ["2026-11-03T08:15:30.000Z"] });

/** The times of creation and of the last change. Every view ends with these two. */
export const recordTimes = {
  createdat: timestamp.meta({ description: "When it was created." }),
  updatedat: timestamp.meta({
    description: "When it last changed.",
    examples: ["2026-11-03T08:15:30.000Z"],
  }),
};

/** The query parameter of a text search; it works the same for every list. */
export function searchField(found: string) {
  return z
    .string()
    .max(100)
    .transform((text) => text.trim() || undefined)
    .optional()
    .meta({
      description: `Words that must all be there, in ${found}. Whole words in any case; numbers also by how they begin.`,
      type: "string",
      maxLength: 100,
      examples: ["asha"],
    });
}

/** Percent in JSON, hundredths of a percent in the code. */
export const percent = z
  .number()
  .transform((rate, check) => {
    const parsed = parsePercent(rate);
    if (parsed.ok) return parsed.value;
    check.addIssue({ code: "custom", message: percentProblems[parsed.error] });
    return z.NEVER;
  })
  .meta({
    description: "Percent, with at most two decimals.",
    minimum: 0,
    maximum: 100,
    examples: [16],
  });

const percentProblems = {
  "not from 0 to 100": "must be from 0 to 100",
  "more than two decimals": "must have at most two decimals",
} as const;
