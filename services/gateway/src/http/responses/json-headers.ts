/** Headers of every JSON answer: no cache keeps it, and no browser takes it for something else. */
export const jsonHeaders = {
  "content-type": "application/json; charset=utf-8",
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
} as const;
