/** Layouts in which the requirements can be listed. */
export const LAYOUTS = ['table', 'json', 'markdown', 'csv'] as const;
