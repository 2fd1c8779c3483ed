import type { DefectDraft, Difficulty } from '../defect.ts';
import type { Page, Service } from '../pipeline.ts';
import { changeLink } from '../step-changes.ts';
import { defect } from './link.ts';

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
    changeLink((link, page, service) => prefix(page, service) + link),
  );
}

/** The link leads to another path than the list, so it cannot be followed. */
const isNotFollowable: Partial<DefectDraft> = { may: ['traversal/followable'] };

/** Defects of the host and path of nextPageLink. */
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
  absolute('link-other-scheme', 'hidden', 'absolute with another scheme than the request', (_page, service) =>
    service.origin.replace('http:', 'https:'),
  ),
  absolute('link-absolute-on-linked-pages', 'subtle', 'absolute on linked pages', (page, service) =>
    page.skip > 0 ? service.origin + service.basePath : '',
  ),
  absolute('link-absolute-at-500', 'subtle', 'absolute if the page size is 500', (page, service) =>
    page.pageSize === 500 ? service.origin + service.basePath : '',
  ),
  defect(
    relative,
    'link-double-slash',
    'hidden',
    'nextPageLink begins with two slashes, so its first segment is read as a host.',
    changeLink((link) => `/${link}`),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-version-lost',
    'plain',
    'The path of nextPageLink has no version.',
    changeLink((link) => link.replace('/v1/', '/')),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-version-doubled',
    'hidden',
    'The path of nextPageLink has its version twice.',
    changeLink((link) => link.replace('/v1/', '/v1/v1/')),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-other-version',
    'hidden',
    'The path of nextPageLink has another version.',
    changeLink((link) => link.replace('/v1/', '/v2/')),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-path-slash',
    'subtle',
    'The path of nextPageLink has a trailing slash.',
    changeLink((link) => link.replace('?', '/?')),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-path-case',
    'subtle',
    'The path of nextPageLink is written Printers instead of printers.',
    changeLink((link) => link.replace('/printers', '/Printers')),
    isNotFollowable,
  ),
  defect(
    relative,
    'link-object',
    'hidden',
    'nextPageLink is an object with a member href instead of a relative reference.',
    changeLink((href) => ({ href })),
    { may: ['link/present-when-more'] },
  ),
];
