/** Headers of every page: no sniffing, no referrer, no frame, no search index. */
export const pageHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  // Links are posted in public places, where search engines find them.
  "x-robots-tag": "noindex",
} as const;
