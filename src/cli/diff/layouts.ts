/** Layouts in which a comparison can be printed. */
export const LAYOUTS = ['text', 'markdown', 'json'] as const;
