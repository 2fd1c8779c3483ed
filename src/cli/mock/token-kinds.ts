/** Kinds of access tokens that the reference provider issues. */
export const TOKEN_KINDS = ['jwt', 'opaque'] as const;
