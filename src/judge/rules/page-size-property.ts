import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { Blocked } from '../../core/undecided.ts';
import type { ListAnswer, NoPage } from '../../provider/page.ts';
import type { Snapshot } from '../../provider/snapshot.ts';
import type { CheckContext, Property } from '../context.ts';
import { expectPage, refusesCaller } from '../expected-page.ts';
import { drawnSizes, firstPages, type SizeCase } from '../probes/first-pages.ts';

/** Page sizes from 1 to 500 with and without `$count`. Rules about every page size share this sample. */
export async function pageSizeProperty(context: CheckContext, atRest: boolean): Promise<Property<SizeCase>> {
  // Together with the other checks that request them.
  await firstPages(context, context.snapshot).catch(() => undefined);
  return {
    sample: 'page sizes',
    atRest,
    examples: (await drawnSizes(context, context.snapshot)).first,
    runs: null,
    // Not drawn from, only used to shrink a breach.
    arbitrary: (fastCheck) =>
      fastCheck.record(
        { pageSize: fastCheck.integer({ min: 1, max: MAX_PAGE_SIZE }), count: fastCheck.boolean() },
        { requiredKeys: ['pageSize'] },
      ),
    prepare: (snapshot, value) => snapshot.first(value),
  };
}

/** Throws Blocked if an answer without a list has another cause than the page size that was requested. */
export async function expectNoOtherCause(snapshot: Snapshot, answer: NoPage, first: SizeCase): Promise<void> {
  if (answer.kind === 'no-envelope') await expectPage(snapshot, answer, first);
  const plain = await snapshot.first({});
  if (plain.kind === 'refused')
    throw new Blocked('authorization/accepted', `the list call with a valid token is refused: ${answer.why}`);
  const isAccepted = refusesCaller(answer)
    ? await isAcceptedAgain(snapshot, answer)
    : !(await staysRefused(snapshot, answer));
  if (isAccepted)
    throw new Blocked(
      'authorization/accepted',
      `GET ${answer.target} with a valid token was refused once (${answer.why}), and accepted another time`,
    );
  if (first.count === true && (await snapshot.first({ count: true })).kind === 'refused')
    throw new Blocked('count/present', `$count=true is refused with every page size: ${answer.why}`);
  if (first.count === false && (await snapshot.first({ count: false })).kind === 'refused')
    throw new Blocked(
      'authorization/accepted',
      `$count=false is refused with every page size: ${answer.why}`,
    );
}

/** Whether a call stays refused while the plain list call is accepted: an outage ends for both. */
async function staysRefused({ client }: Snapshot, { target }: NoPage): Promise<boolean> {
  if ((await client.authorized(target)).kind !== 'refused') return false;
  if ((await client.authorized(client.path)).kind === 'refused') return false;
  return (await client.authorized(target)).kind === 'refused';
}

/** Whether a call that was refused with a valid token is accepted, now or, of several such calls, right after. */
async function isAcceptedAgain({ client }: Snapshot, { target }: NoPage): Promise<boolean> {
  if (client.history.refusalsInForce.length > 0) return true;
  const again = await client.authorized(target, { connection: 'new' });
  return again.kind !== 'refused';
}

/**
 * Throws Blocked if $pagesize has no effect: then small sizes give too many records and large ones too few, and
 * page-size/limit reports it. The smoke suite does not test this.
 *
 * @param itemCount records on a page that holds fewer than were requested
 */
export async function expectSizeToHaveEffect(
  { options }: CheckContext,
  snapshot: Snapshot,
  itemCount: number,
): Promise<void> {
  if (itemCount <= 1) return;
  const single: ListAnswer = await snapshot.first({ count: true, pageSize: 1 });
  if (single.kind === 'page' && single.itemCount === itemCount && options.suite !== 'smoke')
    throw new Blocked('page-size/limit', `$pagesize is ignored: every page holds ${itemCount} records`);
}
