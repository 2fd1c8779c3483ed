import type { Target } from '../target/target.ts';

/** The path of the one list that the specification names (4.2). */
const SPECIFIED_PATH = '/v1/printers';

/**
 * The key of the target file that spells the path of a list otherwise than a redirect or a link: in other letter case, or with
 * other slashes, as lenient servers allow. Null for any other path, and where the file has the path of the specification.
 */
export function misspelledPath(
  reference: string,
  { baseUrl, resources }: Pick<Target, 'baseUrl' | 'resources'>,
): { readonly key: string; readonly path: string } | null {
  const base = new URL(baseUrl);
  if (!URL.canParse(reference, base.origin)) return null;
  const { origin, pathname } = new URL(reference, base.origin);
  if (origin !== base.origin) return null;
  const basePath = base.pathname.replace(/\/+$/u, '');
  for (const [index, { path }] of resources.entries()) {
    const isOfBase = areAlike(pathname, basePath + path) && pathname.endsWith(path);
    const isOfList = areAlike(pathname, basePath + path) || areAlike(pathname, path);
    if (isOfBase) return { key: 'baseUrl', path: pathname };
    if (isOfList && path !== SPECIFIED_PATH) return { key: `resources[${index}].path`, path: pathname };
  }
  return null;
}

/** Whether two paths differ, but only in letter case and slashes. */
function areAlike(one: string, other: string): boolean {
  return one !== other && simplified(one) === simplified(other);
}

function simplified(path: string): string {
  return path
    .toLowerCase()
    .replaceAll(/\/{2,}/gu, '/')
    .replace(/\/$/u, '');
}
