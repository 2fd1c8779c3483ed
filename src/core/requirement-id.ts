/**
 * Identifiers of the requirements, in the order of the catalogue. They never change: results, waivers and reports
 * name them.
 */
export const REQUIREMENT_IDS = [
  'token/issued',
  'token/shape',
  'token/type',
  'token/validity',
  'token/scope',
  'token/grant-type',
  'token/secret',
  'token/client',
  'token/provider-isolation',
  'token/accepted-until-expiry',
  'token/refused-after-expiry',
  'authorization/accepted',
  'authorization/required',
  'authorization/required-on-every-page',
  'authorization/scheme',
  'authorization/token-integrity',
  'list/envelope',
  'list/items',
  'page-size/default',
  'page-size/maximum',
  'page-size/limit',
  'page-size/filled',
  'page-size/encoded-name',
  'link/absent-without-count',
  'link/present-when-more',
  'link/absent-at-the-end',
  'link/relative',
  'link/query',
  'link/offset',
  'traversal/followable',
  'traversal/terminates',
  'traversal/no-duplicates',
  'traversal/same-records',
  'traversal/by-parameters',
  'count/present',
  'count/stable',
  'count/equals-records',
] as const;

/** Identifier of a requirement of the specification. */
export type RequirementId = (typeof REQUIREMENT_IDS)[number];

/** The requirements whose tests wait for a token to expire with `--expiry`. */
export const EXPIRY_REQUIREMENTS: readonly RequirementId[] = [
  'token/accepted-until-expiry',
  'token/refused-after-expiry',
];

/** Identifier of a check: a requirement, or `x/...` for a custom check. */
export type CheckId = RequirementId | `x/${string}`;

export function isRequirementId(text: string): text is RequirementId {
  return (REQUIREMENT_IDS as readonly string[]).includes(text);
}

/** Whether an identifier or glob belongs to a custom check. A replay does not judge these again. */
export function isCustomCheck({ id }: { readonly id: string }): boolean {
  return id.startsWith('x/');
}
