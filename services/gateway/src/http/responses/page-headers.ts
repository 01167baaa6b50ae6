/** What every page says of itself: it is what it says, tells nobody its address, and stands alone. */
export const pageHeaders = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "x-frame-options": "DENY",
  // Links are posted in public places, and search engines follow them.
  "x-robots-tag": "noindex",
} as const;
