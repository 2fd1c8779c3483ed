import type { Defect } from '../defect.ts';
import { acceptedDefects, firstCallDefects, schemeDefects, tokenLocationDefects } from './authorization.ts';
import { gateDefects } from './authorization-gate.ts';
import { tokenUseDefects } from './authorization-token.ts';
import { edgeCaseDefects, growingListDefects, somePageDefects } from './edge-cases.ts';
import { intermittentDefects, someTokenDefects } from './intermittent.ts';
import { brokenLinkDefects, linkBlameDefects, linkDefects, linkPathDefects } from './link.ts';
import { linkQueryDefects } from './link-query.ts';
import { countDefects, listDefects } from './list.ts';
import { recordDefects } from './page-records.ts';
import { emptyPageDefects, pageSizeDefects } from './page-size.ts';
import { encodedNameDefects, queryVariationDefects } from './query-variations.ts';
import { rareRequestDefects } from './rare-requests.ts';
import { orderDefects, workerDefects } from './request-order.ts';
import { providerIsolationDefects, secondClientDefects } from './second-client.ts';
import { findSweepDefect } from './sweep.ts';
import { issuedDefects, tokenAnswerDefects } from './token-answer.ts';
import { tokenExpiryDefects } from './token-expiry.ts';
import { tokenRequestDefects } from './token-request.ts';
import { traversalDefects } from './traversal.ts';

/** All defects, in catalogue order. */
export const defects: readonly Defect[] = [
  ...issuedDefects,
  ...tokenAnswerDefects,
  ...someTokenDefects,
  ...tokenRequestDefects,
  ...providerIsolationDefects,
  ...tokenExpiryDefects,
  ...acceptedDefects,
  ...gateDefects,
  ...schemeDefects,
  ...tokenUseDefects,
  ...tokenLocationDefects,
  ...listDefects,
  ...pageSizeDefects,
  ...encodedNameDefects,
  ...linkDefects,
  ...linkPathDefects,
  ...linkBlameDefects,
  ...linkQueryDefects,
  ...brokenLinkDefects,
  ...traversalDefects,
  ...recordDefects,
  ...countDefects,
  ...emptyPageDefects,
  ...queryVariationDefects,
  ...growingListDefects,
  ...somePageDefects,
  ...secondClientDefects,
  ...edgeCaseDefects,
  ...intermittentDefects,
  ...firstCallDefects,
  ...orderDefects,
  ...rareRequestDefects,
  ...workerDefects,
];

/** The defect with this identifier, including sweep defects. Throws RangeError if there is none. */
export function findDefect(id: string): Defect {
  const found = defects.find((defect) => defect.id === id) ?? findSweepDefect(id);
  if (found === undefined) throw new RangeError(`unknown defect ${id}`);
  return found;
}
