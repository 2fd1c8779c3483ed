import { type Check, composeSuite } from '../src/judge/check.ts';
import { authorization } from './authorization.ts';
import { count } from './count.ts';
import { link } from './link.ts';
import { list } from './list.ts';
import { pageSize } from './page-size.ts';
import { token } from './token.ts';
import { traversal } from './traversal.ts';

/** The conformance suite: one check per requirement, in catalogue order. */
export const suite: readonly Check[] = composeSuite([
  token,
  authorization,
  list,
  pageSize,
  link,
  traversal,
  count,
]);
