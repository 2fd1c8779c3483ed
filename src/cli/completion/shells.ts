/** Shells that there is a completion script for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;
