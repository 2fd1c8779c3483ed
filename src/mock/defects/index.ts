import { type Defect, type DefectDraft, defectOf } from '../defect.ts';
import { registryOf } from '../registry.ts';
import { askedOtherwiseDefects } from './asked-otherwise.ts';
import { gateDefects } from './authorization-gate.ts';
import { tokenPlaceDefects } from './authorization-places.ts';
import { tokenUseDefects } from './authorization-token.ts';
import { cappedDefects } from './capped.ts';
import { cornerDefects } from './corners.ts';
import { countDefects } from './count.ts';
import { encodedNameDefects } from './encoded-name.ts';
import { linkDefects } from './link.ts';
import { linkPathDefects } from './link-path.ts';
import { linkQueryDefects } from './link-query.ts';
import { listDefects } from './list.ts';
import { nowAndThenDefects } from './now-and-then.ts';
import { pageSizeDefects } from './page-size.ts';
import { pageBoundDefects } from './page-size-bounds.ts';
import { runDryDefects } from './run-dry.ts';
import { sweepDefectNamed } from './sweep.ts';
import { tokenAnswerDefects } from './token-answer.ts';
import { earlyEndDefects } from './token-early-end.ts';
import { tokenExpiryDefects } from './token-expiry.ts';
import { laterTokenDefects } from './token-later.ts';
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
