import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../../../src/core/exchange.ts';
import { proveEndlessLinks } from '../../../../src/judge/proofs/broken-links.ts';
import { IdentitySet, identitiesOf } from '../../../../src/provider/identity.ts';
import type { ListAnswer, Page } from '../../../../src/provider/page.ts';
import { NoAnswer } from '../../../../src/provider/sender.ts';
import type { FirstPage, Snapshot } from '../../../../src/provider/snapshot.ts';
import type { Traversal } from '../../../../src/provider/traversal.ts';

const RECORDS = identitiesOf(['one', 'two']);

function page(over: Partial<Page> = {}): Page {
  return { kind: 'page', itemCount: 2, identities: RECORDS, link: '/next', ...over } as Page;
}

/** An endless traversal over two pages whose links have these offsets. */
function runaway(skips: readonly [string, string], last: Partial<Page> = {}): Traversal {
  const reached = new IdentitySet();
  reached.addAll(RECORDS);
  const steps = skips.map((skip, index) => ({
    page: page(index === 1 ? last : {}),
    number: index + 1,
    sizeInForce: 2,
    recordsSoFar: 2 * (index + 1),
    link: { parameters: [{ name: '$skip', value: skip }] },
  }));
  return { pageSize: 2, steps, reached, end: { kind: 'runaway', pages: 1 } } as unknown as Traversal;
}

/** A snapshot that answers requests for far offsets in order; an error is thrown. */
function snapshot(...answers: readonly (ListAnswer | Error)[]): {
  readonly snapshot: Snapshot;
  readonly asked: number[];
} {
  const asked: number[] = [];
  const first = ({ skip = 0 }: FirstPage): Promise<ListAnswer> => {
    const answer = answers[asked.push(skip) - 1];
    return answer instanceof Error || answer === undefined ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { snapshot: { first } as unknown as Snapshot, asked };
}

const unanswered = new NoAnswer({ failure: null } as Exchange);
const refused = { kind: 'refused', status: 400, why: 'the status is 400' } as ListAnswer;

describe('links that seem endless', () => {
  it('are endless without a request if they do not advance', async () => {
    const far = snapshot();
    expect(await proveEndlessLinks(far.snapshot, runaway(['2', '2']))).toBeNull();
    expect(far.asked).toEqual([]);
  });

  it.each([[['2', '4']], [['0x2', '0x4']]] as const)(
    'do so where a page past any list does (%s)',
    async (skips) => {
      const beyond = page({ itemCount: 0, identities: identitiesOf([]) });
      expect(await proveEndlessLinks(snapshot(beyond).snapshot, runaway(skips))).toBe(beyond);
    },
  );

  it.each([
    ['refused', refused],
    ['not answered', unanswered],
  ] as const)('are tested at a nearer offset if that page is %s', async (_what, farthest) => {
    const nearer = page();
    const far = snapshot(farthest, nearer);
    expect(await proveEndlessLinks(far.snapshot, runaway(['2', '4']))).toBe(nearer);
    expect(far.asked).toEqual([1_000_000_000, 4 + 64 * 2]);
  });

  it.each([
    ['has no link', [page({ link: undefined })]],
    ['gives new records', [page({ identities: identitiesOf(['three']) })]],
    ['cannot be had', [refused, unanswered]],
  ])('are not a separate breach if it %s', async (_what, answers) => {
    expect(await proveEndlessLinks(snapshot(...answers).snapshot, runaway(['2', '4']))).toMatchObject({
      requirement: 'traversal/no-duplicates',
    });
    expect(
      await proveEndlessLinks(snapshot(...answers).snapshot, runaway(['2', '4'], { itemCount: 0 })),
    ).toMatchObject({
      requirement: 'link/absent-at-the-end',
    });
  });
});
