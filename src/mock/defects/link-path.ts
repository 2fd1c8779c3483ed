import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import type { Page, Service } from '../pipeline.ts';
import { changeLink } from '../step-changes.ts';
import { defect } from './link.ts';

const relative = 'link/relative';

function absolute(
  difficulty: Difficulty,
  words: string,
  prefix: (page: Page, service: Service) => string,
): DefectDraft {
  return defect(
    relative,
    difficulty,
    `nextPageLink is ${words} instead of relative.`,
    changeLink((link, page, service) => prefix(page, service) + link),
  );
}

/** The link leads to another path than the list, so it cannot be followed. */
const isNotFollowable: Partial<DefectDraft> = { may: ['traversal/followable'] };

/** Defects of the host and path of nextPageLink. */
export const linkPathDefects: readonly Defect[] = defectsOf({
  'link-absolute': absolute('plain', 'absolute', (_page, service) => service.origin + service.basePath),
  'link-internal-host': absolute(
    'plain',
    'absolute with the name of an internal host',
    () => 'http://printers.svc.internal:8080',
  ),
  'link-scheme-relative': absolute('hidden', 'a reference with a host but no scheme', (_page, service) =>
    service.origin.slice(5),
  ),
  'link-other-scheme': absolute('hidden', 'absolute with another scheme than the request', (_page, service) =>
    service.origin.replace('http:', 'https:'),
  ),
  'link-absolute-on-linked-pages': absolute('subtle', 'absolute on linked pages', (page, service) =>
    page.skip > 0 ? service.origin + service.basePath : '',
  ),
  'link-absolute-at-500': absolute('subtle', 'absolute if the page size is 500', (page, service) =>
    page.pageSize === 500 ? service.origin + service.basePath : '',
  ),
  'link-double-slash': defect(
    relative,
    'hidden',
    'nextPageLink begins with two slashes, so its first segment is read as a host.',
    changeLink((link) => `/${link}`),
    isNotFollowable,
  ),
  'link-version-lost': defect(
    relative,
    'plain',
    'The path of nextPageLink has no version.',
    changeLink((link) => link.replace('/v1/', '/')),
    isNotFollowable,
  ),
  'link-version-doubled': defect(
    relative,
    'hidden',
    'The path of nextPageLink has its version twice.',
    changeLink((link) => link.replace('/v1/', '/v1/v1/')),
    isNotFollowable,
  ),
  'link-other-version': defect(
    relative,
    'hidden',
    'The path of nextPageLink has another version.',
    changeLink((link) => link.replace('/v1/', '/v2/')),
    isNotFollowable,
  ),
  'link-path-slash': defect(
    relative,
    'subtle',
    'The path of nextPageLink has a trailing slash.',
    changeLink((link) => link.replace('?', '/?')),
    isNotFollowable,
  ),
  'link-path-case': defect(
    relative,
    'subtle',
    'The path of nextPageLink is written Printers instead of printers.',
    changeLink((link) => link.replace('/printers', '/Printers')),
    isNotFollowable,
  ),
  'link-object': defect(
    relative,
    'hidden',
    'nextPageLink is an object with a member href instead of a relative reference.',
    changeLink((href) => ({ href })),
    { may: ['link/present-when-more'] },
  ),
});
