import { defectsWith, having, hidden, plain, subtle } from '../catalogue-rows.ts';
import {
  isCounted,
  isFirst,
  isFrom,
  isLinked,
  isOfSize,
  isUnsized,
  not,
  type PageTest,
} from '../page-tests.ts';
import type { Change, Page } from '../pipeline.ts';
import {
  addToCount,
  bareArray,
  changeCount,
  changeEnvelope,
  changeItems,
  changeText,
  countOfPage,
  onPages,
  renameEnvelopeMember,
  setItemMembers,
  withoutCount,
} from '../step-changes.ts';
import { onTokens } from '../token-changes.ts';

const namesObject = having({ keywords: ['object'] });
const namesJson = having({ keywords: ['json'] });

const envelopes = defectsWith({ keywords: ['items'], must: ['list/envelope'] })({
  'envelope-bare-array': namesObject
    .plain('The answer is a bare array instead of an object with items.')
    .by(bareArray),
  'envelope-value': plain('The records are in a member value instead of items.').by(
    renameEnvelopeMember('items', 'value'),
  ),
  'envelope-capital-items': plain('The records are in a member Items instead of items.').by(
    renameEnvelopeMember('items', 'Items'),
  ),
  'envelope-nested': plain('The envelope is wrapped in a member data, so there is no top-level items.').by(
    changeEnvelope((members) => ({ data: members })),
  ),
  'envelope-items-by-id': plain(
    'items is an object with the records under their identifiers instead of an array.',
  ).by(
    changeEnvelope(({ items, ...rest }, parts) => ({
      items: Object.fromEntries(parts.items.map((item) => [String(Object(item)['id']), item])),
      ...(items === undefined ? {} : rest),
    })),
  ),
  'envelope-items-text': hidden('items is a string that holds the array as JSON.').by(
    changeEnvelope((members) => ({ ...members, items: JSON.stringify(members['items']) })),
  ),
  'envelope-single-item-object': having({ may: ['traversal/followable'] })
    .subtle('If a page holds exactly one record, items is that record instead of an array.')
    .by(
      changeEnvelope((members, parts) =>
        parts.items.length === 1 ? { ...members, items: parts.items[0] } : members,
      ),
    ),
  'envelope-items-missing-when-empty': having({ records: 0 })
    .subtle('items is missing if there are no records.')
    .by(
      changeEnvelope(({ items, ...rest }, parts) => (parts.items.length === 0 ? rest : { items, ...rest })),
    ),
  'envelope-items-null-when-empty': having({ records: 0 })
    .hidden('items is null if there are no records.')
    .by(
      changeEnvelope((members, parts) => (parts.items.length === 0 ? { ...members, items: null } : members)),
    ),
  'envelope-array-without-count': namesObject
    .subtle('Without $count the answer is a bare array instead of an object with items.')
    .by(onPages(not(isCounted))(bareArray)),
  'envelope-array-with-count': namesObject
    .hidden('With $count=true the answer is an array of the records and the count instead of an object.')
    .by(changeEnvelope((members, parts, page) => (page.counting ? [parts.items, parts.count] : members))),
  'envelope-json-in-text': namesObject
    .hidden('The body is a JSON string that holds the envelope as JSON, encoded twice.')
    .by(changeText((json) => JSON.stringify(json))),
  'envelope-trailing-comma': namesJson
    .hidden('The body is not valid JSON: the array of items ends with a comma.')
    .by(changeText((json) => json.replace('}],', '},],').replace('}]}', '},]}'))),
  'envelope-xml': namesJson
    .plain('The body is XML instead of JSON.')
    .by(changeText((json) => `<list>${json.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</list>`)),
  'envelope-latin-1': having({ keywords: ['utf-8'], may: ['list/items', 'traversal/followable'] })
    .subtle('The body is encoded in ISO 8859-1 instead of UTF-8, so names beyond ASCII are invalid.')
    .by(changeText((json) => Buffer.from(json, 'latin1'))),
  'envelope-empty-body': having({ keywords: ['empty'] })
    .plain('The list call is answered 200 with an empty body.')
    .by(changeText(() => '')),
});

const withoutAgent = changeItems(({ agent: _agent, ...rest }) => rest);

/** Makes a change of the records whose number is selected. */
function onRecords(isSelected: (record: number) => boolean, change: Change): Change {
  return (steps) => {
    const { item } = change(steps);
    return {
      ...steps,
      item: (record, page, service) => (isSelected(record) ? item : steps.item)(record, page, service),
    };
  };
}

const items = defectsWith({ keywords: ['agent'], must: ['list/items'] })({
  'item-id-number': having({ keywords: ['id'] })
    .plain('The id of an item is a number instead of a string.')
    .by(
      changeItems((members) => ({ ...members, id: Number.parseInt(String(members['id']).slice(0, 8), 16) })),
    ),
  'item-id-missing': having({ keywords: ['id'] })
    .plain('Items have no id.')
    .by(changeItems(({ id: _id, ...rest }) => rest)),
  'item-display-name-spelled': having({ keywords: ['displayname'] })
    .plain('The display name of an item is in displayname instead of displayName.')
    .by(changeItems(({ displayName: displayname, ...rest }) => ({ ...rest, displayname }))),
  'item-agent-object': plain('The agent of an item is an object instead of a string.').by(
    changeItems((members) => ({ ...members, agent: { name: members['agent'] } })),
  ),
  'item-agent-null': plain('The agent of every item is null.').by(setItemMembers({ agent: null })),
  'item-name-number': having({ keywords: ['displayname'] })
    .hidden('The displayName of every seventh item is a number, because its name looks like one.')
    .by(onRecords((record) => record % 7 === 6, setItemMembers({ displayName: 4711 }))),
  'item-agent-missing-late': subtle('From record 1000 on, items have no agent.').by(
    onRecords((record) => record >= 1000, withoutAgent),
  ),
  'item-one-null-name': having({ keywords: ['displayname'] })
    .subtle('The displayName of a single item, record 777, is null.')
    .by(onRecords((record) => record === 777, setItemMembers({ displayName: null }))),
  'item-last-null': having({ keywords: ['item'] })
    .subtle('The last item is null instead of an object.')
    .by(changeItems((members, record, page) => (record === page.total - 1 ? null : members))),
  'item-without-agent-on-linked-pages': subtle(
    'Items of linked pages have no agent; items of first pages have one.',
  ).by(onPages(isLinked)(withoutAgent)),
  'item-text': having({ keywords: ['object'] })
    .plain('Items are identifiers instead of objects.')
    .by(changeItems((members) => members['id'])),
});

/** Defects of the envelope and its items. */
export const listDefects = [...envelopes, ...items];

/** Whether a page behind the first one holds the last record. */
const isLastOfSeveral: PageTest = ({ skip, positions, total }) =>
  skip > 0 && skip + positions.length >= total;

function isWholeList({ positions, total }: Page): boolean {
  return positions.length === total;
}

const presence = defectsWith({ keywords: ['count'], must: ['count/present'] })({
  'count-never': plain('count is never given.').by(withoutCount),
  'count-null': plain('count is null although it is enabled.').by(changeCount(() => null)),
  'count-text': plain('count is a string of digits instead of an integer.').by(changeCount(String)),
  'count-fraction': hidden('count is a fraction instead of an integer.').by(addToCount(0.5)),
  'count-array': hidden('count is an array holding the number instead of an integer.').by(
    changeCount((count) => [count]),
  ),
  'count-as-total': plain('The count is in a member total instead of count.').by(
    renameEnvelopeMember('count', 'total'),
  ),
  'count-capital': hidden('The count is in a member Count instead of count.').by(
    renameEnvelopeMember('count', 'Count'),
  ),
  'count-first-page-only': hidden('Only the first page gives count.').by(onPages(isLinked)(withoutCount)),
  'count-last-page-lacks-it': subtle('The last page gives no count.').by(
    onPages(isLastOfSeveral)(withoutCount),
  ),
  'count-missing-on-single-page': having({ records: 120 })
    .subtle('A page that holds the whole list gives no count.')
    .by(onPages(isWholeList)(withoutCount)),
  'count-missing-when-zero': having({ records: 0 })
    .subtle('count is left out when it is 0.')
    .by(changeCount((count) => (count === 0 ? undefined : count))),
  'count-missing-without-size': subtle('Without $pagesize no count is given.').by(
    onPages(isUnsized)(withoutCount),
  ),
  'count-missing-at-one': subtle('With a page size of 1 no count is given.').by(
    onPages(isOfSize(1))(withoutCount),
  ),
  'count-negative-when-paged': having({ may: ['count/stable'] })
    .hidden('On linked pages count is -1 instead of the total.')
    .by(onPages(isLinked)(changeCount(() => -1))),
});

const stability = defectsWith({ keywords: ['count'], must: ['count/stable'], may: ['count/equals-records'] })(
  {
    'count-of-page': plain('count is the number of records on the page instead of the total.').by(
      countOfPage,
    ),
    'count-remaining': plain('count is the number of records from this page on instead of the total.').by(
      changeCount((count, page) => Math.max(0, count - page.skip)),
    ),
    'count-of-pages': plain(
      'count is the number of pages, which changes with the page size, instead of the number of records.',
    ).by(changeCount((count, page) => Math.ceil(count / page.pageSize))),
    'count-rounded-to-page': hidden(
      'count is rounded up to whole pages, so it changes with the page size.',
    ).by(changeCount((count, page) => Math.ceil(count / page.pageSize) * page.pageSize)),
    'count-up-to-here': hidden('count is the number of records given up to this page.').by(
      changeCount((_count, page) => page.skip + page.positions.length),
    ),
    'count-estimated-on-first-page': subtle('On first pages count is one more than on linked pages.').by(
      onPages(isFirst)(addToCount(1)),
    ),
    'count-other-on-linked-pages': subtle('On linked pages count is one less than on first pages.').by(
      onPages(isLinked)(addToCount(-1)),
    ),
    'count-other-on-last-page': subtle('On the last page count is one more than on the others.').by(
      onPages(isLastOfSeveral)(addToCount(1)),
    ),
    'count-other-at-500': subtle('With a page size of 500 count is one more than with others.').by(
      onPages(isOfSize(500))(addToCount(1)),
    ),
    'count-other-at-one': subtle('With a page size of 1 count is one less than with others.').by(
      onPages(isOfSize(1))(addToCount(-1)),
    ),
    'count-other-for-every-second-token': having({ needs: { order: true } })
      .subtle('For every second token count is one more, as from one of two replicas.')
      .by(onPages(isCounted)(onTokens((number) => number % 2 === 1)(addToCount(1)))),
    'count-other-for-later-tokens': having({ needs: { order: true } })
      .subtle('For all tokens but the first one count is ten less than the number of records.')
      .by(onPages(isCounted)(onTokens((number) => number > 0)(addToCount(-10)))),
    'count-other-late': subtle('From record 900 on, count is ten more than before.').by(
      onPages(isFrom(900))(addToCount(10)),
    ),
  },
);

const equality = defectsWith({ keywords: ['count'], must: ['count/equals-records'] })({
  'count-with-deleted': plain('count includes 17 deleted records that no page gives.').by(addToCount(17)),
  'count-one-more': subtle('count is one more than the number of records.').by(addToCount(1)),
  'count-one-less': subtle('count is one less than the number of records.').by(addToCount(-1)),
  'count-capped-at-1000': hidden('count is at most 1000 although there are more records.').by(
    changeCount((count) => Math.min(1000, count)),
  ),
  'count-capped-at-10000': having({ records: 10_600 })
    .subtle('count is at most 10000 although there are more records.')
    .by(changeCount((count) => Math.min(10_000, count))),
  'count-rounded': hidden('count is rounded to hundreds.').by(
    changeCount((count) => Math.round(count / 100) * 100),
  ),
  'count-zero': plain('count is always 0.').by(changeCount(() => 0)),
  'count-overflow-10': subtle('Only the lower ten bits of count are kept.').by(
    changeCount((count) => count & 1023),
  ),
  'count-of-all-tenants': hidden(
    'count includes the records of all tenants, twice the number of records in the list.',
  ).by(changeCount((count) => count * 2)),
});

/** Defects of count. */
export const countDefects = [...presence, ...stability, ...equality];
