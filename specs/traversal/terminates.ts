import { Blocked, stoppedBy, type Undecided } from '../../src/core/undecided.ts';
import { requirement } from '../../src/judge/check.ts';
import type { CheckContext } from '../../src/judge/context.ts';
import { partialTraversals, traversalsMainFirst } from '../../src/judge/probes/list-traversals.ts';
import { causeOfEarlyStop } from '../../src/judge/probes/traversal-completeness.ts';
import { findLinkPastEnd, proveEndlessLinks } from '../../src/judge/proofs/broken-links.ts';
import { type RuleFinding, ruleTest } from '../../src/judge/rules/rule.ts';
import { secondClientRule } from '../../src/judge/rules/second-client-rule.ts';
import {
  findFirstFault,
  lastStepWithNewRecords,
  recordsBefore,
  skipOf,
  startsEmpty,
  traversalName,
} from '../../src/judge/traversals.ts';
import { Violation } from '../../src/judge/violation.ts';
import type { Page } from '../../src/provider/page.ts';
import type { Snapshot } from '../../src/provider/snapshot.ts';
import type { Traversal } from '../../src/provider/traversal.ts';

export const traversalTerminates = requirement({
  id: 'traversal/terminates',
  clause: ['4.3.2', '4.3.3'],
  smoke: true,
  rule: `Following the links comes to an end: no link leads back to a visited page, and no page after the last record is
    linked.`,
  tested: `Traverses the list with several page sizes, remembers every page, and stops at the first one that repeats or
    that is past the last record. If links continue without new records, Assay requests a page past any list to find
    out whether they ever end. A link behind the last record that no traversal follows leaves the verdict open. Also
    follows the first three links with a token of the second provider.`,
  breach:
    'A circle, a link to the page itself, the first page again after the last, or empty pages without end.',
  causes: `$skip is not read, so each link returns the first page. $skip wraps around at the end. A link is built even for
    an empty page. A cache answers page two with page one.`,
  fix: `Increase the offset with every page, read $skip as the link writes it, and stop giving a link when the total is
    reached.`,
  judge: ruleTest<ProvenTraversal>({
    atRest: true,
    oracle: endsWithLastRecord,
    probes: wholeTraversalsWithProof,
    obstacle: async (context) => (await findLinkPastEnd(context)) ?? (await findLinkBack(context)),
  }),
  testLater: [
    secondClientRule(endsWithLastRecord, (traversal, { snapshot }) => withProof(snapshot, traversal)),
  ],
});

/** The oracle, over a traversal. */
function endsWithLastRecord({ traversal, proof }: ProvenTraversal): RuleFinding {
  const fault = findFirstFault(traversal);
  if (fault?.requirement === 'link/query') return fault;
  // A link that is wrong before the one that closes a circle explains the circle.
  const isWrongBefore = fault?.requirement === 'link/offset' && fault.step !== traversal.steps.at(-1);
  if (traversal.end.kind === 'circle' && isWrongBefore) return fault;
  if (traversal.pageSize === null && startsEmpty(traversal))
    return new Blocked('page-size/default', 'the first page holds no record although its count says more');
  if (proof instanceof Blocked) return proof;
  const what = whyEndless(traversal);
  if (what === null) return causeOfOtherEnd(traversal) ?? 'kept';
  return endlessTraversal(traversal, what, proof);
}

/** A traversal with what shows that its links never end if it gave up on them; see {@link proveEndlessLinks}. */
interface ProvenTraversal {
  readonly traversal: Traversal;
  readonly proof: Page | Blocked | null;
}

async function* wholeTraversalsWithProof(context: CheckContext): AsyncGenerator<ProvenTraversal> {
  for await (const traversal of traversalsMainFirst(context, { whole: true }))
    yield withProof(context.snapshot, traversal);
}

async function withProof(snapshot: Snapshot, traversal: Traversal): Promise<ProvenTraversal> {
  const isOpen = traversal.end.kind === 'runaway' && findFirstFault(traversal)?.requirement !== 'link/query';
  return { traversal, proof: isOpen ? await proveEndlessLinks(snapshot, traversal) : null };
}

/** Blocked by link/offset if a link of a traversal that was not followed to its end leads back; null if none does. */
async function findLinkBack(context: CheckContext): Promise<Blocked | null> {
  for (const traversal of await partialTraversals(context)) {
    const fault = findFirstFault(traversal);
    if (fault?.requirement !== 'link/offset') continue;
    const skip = skipOf(fault.step) ?? fault.step.recordsSoFar;
    if (skip <= recordsBefore(fault.step)) return fault;
  }
  return null;
}

/** How the links of a traversal continue without end; null if they do not. */
function whyEndless({ steps, end }: Traversal): string | null {
  if (end.kind === 'circle')
    return `the link of page ${steps.at(-1)?.number} leads back to page ${end.backTo}`;
  if (end.kind !== 'runaway') return null;
  return end.pages === 1
    ? 'the last linked page gives no new records and has a link'
    : `the last ${end.pages} linked pages give no new records and have links`;
}

/** The breach of a traversal that does not end; `what` says how its links continue. */
function endlessTraversal(traversal: Traversal, what: string, proof: Page | null): Violation {
  const how = proof === null ? what : `${what}; ${proof.target} gives nothing new either and has a link`;
  return new Violation({
    key: `${traversal.pageSize} ${traversal.end.kind}`,
    message: `${traversalName(traversal)} does not end: ${how}`,
    expected: 'links that end with the last record',
    actual: how,
    counterexample: { pageSize: traversal.pageSize, page: traversal.steps.length },
    // The last page first: its link is the one that is wrong.
    exchanges: [...traversal.steps.slice(-2).toReversed(), proof],
  });
}

/** Why a traversal does not show that the links end with the last record; null if it does. */
function causeOfOtherEnd(traversal: Traversal): Undecided | null {
  const { end, steps } = traversal;
  if (end.kind === 'limit')
    return stoppedBy(end.limit, `${traversalName(traversal)} did not reach its end: ${end.why}`);
  const cut = causeOfEarlyStop(traversal);
  if (cut !== null) return cut;
  const lastNew = lastStepWithNewRecords(traversal);
  if (lastNew === null || lastNew.number === steps.length) return null;
  return new Blocked(
    'link/absent-at-the-end',
    `page ${lastNew.number} of ${traversalName(traversal)} holds the last record and gives a nextPageLink`,
  );
}
