import { type Defect, type DefectDraft, defectOf } from '../defect.ts';
import { registryOf } from '../registry.ts';
import { gateDefects } from './authorization-gate.ts';
import { tokenUseDefects } from './authorization-token.ts';
import { tokenPlaceDefects } from './authorization-token-location.ts';
import { cappedDefects } from './capped-pages.ts';
import { countDefects } from './count.ts';
import { cornerDefects } from './edge-cases.ts';
import { runDryDefects } from './empty-pages.ts';
import { encodedNameDefects } from './encoded-name.ts';
import { nowAndThenDefects } from './intermittent.ts';
import { linkDefects } from './link.ts';
import { linkPathDefects } from './link-path.ts';
import { linkQueryDefects } from './link-query.ts';
import { listDefects } from './list.ts';
import { pageSizeDefects } from './page-size.ts';
import { pageBoundDefects } from './page-size-bounds.ts';
import { askedOtherwiseDefects } from './query-variations.ts';
import { sweepDefectNamed } from './sweep.ts';
import { tokenAnswerDefects } from './token-answer.ts';
import { earlyEndDefects } from './token-early-expiry.ts';
import { tokenExpiryDefects } from './token-expiry.ts';
import { laterTokenDefects } from './token-later-answers.ts';
import { tokenRequestDefects } from './token-request.ts';
import { traversalDefects } from './traversal.ts';
import { recordDefects } from './traversal-records.ts';

const drafts: readonly DefectDraft[] = [
  ...tokenAnswerDefects,
  ...laterTokenDefects,
  ...tokenRequestDefects,
  ...tokenExpiryDefects,
  ...earlyEndDefects,
  ...gateDefects,
  ...tokenUseDefects,
  ...tokenPlaceDefects,
  ...listDefects,
  ...pageBoundDefects,
  ...pageSizeDefects,
  ...encodedNameDefects,
  ...linkDefects,
  ...linkPathDefects,
  ...linkQueryDefects,
  ...traversalDefects,
  ...recordDefects,
  ...countDefects,
  ...runDryDefects,
  ...askedOtherwiseDefects,
  ...cappedDefects,
  ...cornerDefects,
  ...nowAndThenDefects,
];
const registry = registryOf(drafts.map(defectOf));

/** Every defect. */
export const defects: readonly Defect[] = registry.entries;

/** The defect with this identifier, sweep defects included; throws RangeError when there is none. */
export function findDefect(id: string): Defect {
  const found = registry.find(id) ?? sweepDefectNamed(id);
  if (found === undefined) throw new RangeError(`there is no defect ${id}`);
  return found;
}
