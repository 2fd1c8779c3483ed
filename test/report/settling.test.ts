import { describe, expect, test } from 'vitest';
import { findingsOf, groupByReason } from '../../src/report/digest.ts';
import { settlingWords } from '../../src/report/settling.ts';
import { judged, results, target } from './sample.ts';

/** What would settle that requirement, of a list with so many records. */
function settles(
  id: string,
  reason: string,
  records = 20,
  verdict: 'inconclusive' | 'error' = 'inconclusive',
) {
  const run = results([target([judged(id, verdict, { reason })], { records: { printers: records } })]);
  const [group] = groupByReason(findingsOf(run, () => true));
  if (group === undefined) throw new Error('the run has a finding');
  return settlingWords(group);
}

describe('what would settle an open verdict', () => {
  test('is data only where data is what lacks', () => {
    const untried = 'nothing was tried in which a breach would have shown; it needs';
    expect(settles('page-size/default', `${untried} a list of more than 500 records`)).toBe(
      'A target that offers a list of more than 500 records.',
    );
    expect(settles('page-size/limit', `${untried} a provider whose data lets a breach show`)).toBeNull();
    expect(settles('page-size/limit', `${untried} a provider whose data lets a breach show`, 0)).toBe(
      'A list with records.',
    );
    const empty =
      'the list is empty, so a call that should be refused has nothing to give away; it needs a record';
    expect(settles('authorization/required-on-every-page', empty, 0)).toBe('A list with records.');
    expect(settles('page-size/default', 'the data kept changing while it was judged')).toBeNull();
  });

  test('is what was in the way, where it was not the data', () => {
    const of = (reason: string) => settles('page-size/default', reason);
    expect(of('nothing more was sent to http://a: all 25 requests (limits.maxRequests) are used up')).toBe(
      'Raise limits.maxRequests in the target file and run again.',
    );
    expect(of('the 5 s that a run may take (limits.maxRunSeconds) were over')).toContain(
      'limits.maxRunSeconds',
    );
    expect(of('the run was stopped before anything was sent to http://a')).toBe('Let the run finish.');
    expect(
      of(
        'the list call kept answering 503, however slowly it was asked; run again when it is available, or with lower limits (limits.requestsPerSecond, limits.concurrency)',
      ),
    ).toBe('Run again when the provider is available.');
    expect(of('follows from link/offset: $skip is 1')).toContain('Mend link/offset and run again');
    expect(settles('page-size/default', 'the connection was reset', 20, 'error')).toContain('assay doctor');
  });
});
