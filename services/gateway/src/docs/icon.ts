const drawing = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="9" fill="#0b7a5c"/><path d="M8 23V9.5l8 8 8-8V23" fill="none" stroke="#fff" stroke-width="3.4" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

/** A data URL, so the page loads no image. */
export const icon = `data:image/svg+xml,${encodeURIComponent(drawing)}`;
