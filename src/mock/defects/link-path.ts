import type { DefectDraft, Difficulty } from '../defect.ts';
import type { Page, Service } from '../pipeline.ts';
import { defect, linkText } from './link.ts';

const relative = 'link/relative';

function absolute(
  id: string,
  difficulty: Difficulty,
  words: string,
  prefix: (page: Page, service: Service) => string,
): DefectDraft {
  return defect(
    relative,
    id,
    difficulty,
    `nextPageLink is ${words} instead of relative.`,
    linkText((link, page, service) => prefix(page, service) + link),
  );
}

/** A link to a path that is not the list's; following it leads nowhere. */
const leadsNowhere: Partial<DefectDraft> = { may: ['traversal/followable'] };

/** What is wrong with where nextPageLink leads. */
export const linkPathDefects: readonly DefectDraft[] = [
  absolute('link-absolute', 'plain', 'absolute', (_page, service) => service.origin + service.basePath),
  absolute(
    'link-internal-host',
    'plain',
    'absolute with the name of an internal host',
    () => 'http://printers.svc.internal:8080',
  ),
  absolute('link-scheme-relative', 'hidden', 'a reference with a host but no scheme', (_page, service) =>
    service.origin.slice(5),
  ),
  absolute(
    'link-other-scheme',
    'hidden',
    'absolute with another scheme than it was asked with',
    (_page, service) => service.origin.replace('http:', 'https:'),
  ),
  absolute('link-absolute-on-linked-pages', 'subtle', 'absolute on linked pages', (page, service) =>
    page.skip > 0 ? service.origin + service.basePath : '',
  ),
  absolute('link-absolute-at-500', 'subtle', 'absolute when the page size is 500', (page, service) =>
    page.pageSize === 500 ? service.origin + service.basePath : '',
  ),
  defect(
    relative,
    'link-double-slash',
    'hidden',
    'nextPageLink begins with two slashes, which makes its first segment a host.',
    linkText((link) => `/${link}`),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-version-lost',
    'plain',
    'The path of nextPageLink has lost its version.',
    linkText((link) => link.replace('/v1/', '/')),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-version-doubled',
    'hidden',
    'The path of nextPageLink has its version twice.',
    linkText((link) => link.replace('/v1/', '/v1/v1/')),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-other-version',
    'hidden',
    'The path of nextPageLink has another version.',
    linkText((link) => link.replace('/v1/', '/v2/')),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-path-slash',
    'subtle',
    'The path of nextPageLink has a slash at its end.',
    linkText((link) => link.replace('?', '/?')),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-path-case',
    'subtle',
    'The path of nextPageLink is written Printers instead of printers.',
    linkText((link) => link.replace('/printers', '/Printers')),
    leadsNowhere,
  ),
  defect(
    relative,
    'link-object',
    'hidden',
    'nextPageLink is an object with a member href instead of a relative reference.',
    linkText((href) => ({ href })),
    { may: ['link/present-when-more'] },
  ),
];
