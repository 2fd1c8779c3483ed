import { type Label, type Link, Severity } from 'allure-js-commons';
import type { RequirementResult } from '../../core/results.ts';
import { visible } from '../wording/phrases.ts';

/** Chapters whose violation is a security risk or blocks all clients. */
const SEVERE: Readonly<Record<string, Severity>> = {
  authorization: Severity.BLOCKER,
  token: Severity.CRITICAL,
  list: Severity.CRITICAL,
  traversal: Severity.CRITICAL,
};

/** Labels by which Allure groups a requirement; equal for `--format allure` and allure-playwright. */
export function groupLabels({ id, rule }: Pick<RequirementResult, 'id' | 'rule'>): Label[] {
  const chapter = id.split('/')[0] ?? 'other';
  return [
    { name: 'epic', value: visible(chapter) },
    { name: 'feature', value: visible(id) },
    { name: 'story', value: visible(rule) },
    { name: 'severity', value: SEVERE[chapter] ?? Severity.NORMAL },
    { name: 'suite', value: visible(chapter) },
  ];
}

/**
 * Links to the clauses of a requirement. The specification has no public URL, so `ASSAY_CLAUSE_URL` provides
 * it, with `{clause}` for the number of the clause.
 */
export function clauseLinks(
  clauses: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Link[] {
  const template = env['ASSAY_CLAUSE_URL'];
  if (template === undefined || !URL.canParse(template.replaceAll('{clause}', '1'))) return [];
  return clauses.map((clause) => ({
    type: 'clause',
    name: `clause ${visible(clause)}`,
    url: template.replaceAll('{clause}', encodeURIComponent(clause)),
  }));
}
