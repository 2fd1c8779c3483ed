import { defectsWith, having, hidden, plain, type Row, subtle } from '../catalogue-rows.ts';
import { type Change, everyNth, onCallNumbers, onCalls, rewrite } from '../changes.ts';
import {
  bareArray,
  changeEnvelope,
  changeItems,
  changeText,
  isByParameters,
  isCapped,
  isCounted,
  isCountFalse,
  isEncoded,
  isLinked,
  isUncompressed,
  not,
  onPages,
  type PageTest,
  renameEnvelopeMember,
  setItemMembers,
} from '../page-changes.ts';
import { textAnswer } from '../pipeline.ts';
import { forSecondClient } from '../token-changes.ts';

const webPage = rewrite('pageAnswer', () => textAnswer(200, '<html>Just a moment</html>', 'text/html'));

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
  'capped-array': having({ keywords: ['array'] })
    .subtle('The answer is a bare array instead of an object if more than 500 records are requested.')
    .by(onPages(isCapped)(bareArray)),
  'envelope-html-every-fifteenth-call': having({ keywords: ['json'], needs: { order: true } })
    .subtle('Every 15th list answer is a page of HTML with status 200.')
    .by(everyNth(15)(webPage)),
  'envelope-html-in-two-spans': having({ keywords: ['json'], needs: { order: true } })
    .subtle('The 40th to 49th and the 90th to 99th list answer are a page of HTML with status 200.')
    .by(onCallNumbers((number) => number % 50 >= 40 && number < 100)(webPage)),
  'envelope-html-from-later-on': having({ keywords: ['json'], needs: { order: true } })
    .subtle('From the 100th list answer on, each is a page of HTML with status 200.')
    .by(onCallNumbers((number) => number >= 100)(webPage)),
  'envelope-empty-every-tenth-call': having({ needs: { order: true } })
    .subtle('Every tenth list answer is an empty object with status 200.')
    .by(everyNth(10)(changeText(() => '{}'))),
  'envelope-array-count-false': having({ keywords: ['array'] })
    .subtle('If $count is false, the answer is a bare array instead of an object.')
    .by(onPages(isCountFalse)(bareArray)),
  'items-null-past-the-end': subtle('items is null on an empty page past the last record.').by(
    changeEnvelope((members, parts, page) =>
      page.skip > 0 && parts.items.length === 0 ? { ...members, items: null } : members,
    ),
  ),
  'second-client-envelope-nested': having({ keywords: ['second provider'] })
    .subtle('The second client is given the list answer within another object.')
    .by(forSecondClient(changeEnvelope((members) => ({ data: members })))),
  'second-client-uncounted-bare-array': having({ keywords: ['second provider'] })
    .subtle('Without $count the second client is given an array of items.')
    .by(forSecondClient(onPages(not(isCounted))(bareArray))),
  'second-client-every-third-web-page': having({ keywords: ['second provider'], needs: { order: true } })
    .subtle('Every third list call of the second client is answered with a web page and status 200.')
    .by(forSecondClient(everyNth(3)(webPage))),
  'follow-bare-array': having({ keywords: ['array'] })
    .hidden('A followed nextPageLink is answered with a bare array instead of the envelope.')
    .by(onPages(isLinked)(bareArray)),
});

const withoutAgent = changeItems(({ agent: _agent, ...rest }) => rest);

function onRecords(isSelected: (record: number) => boolean): (change: Change) => Change {
  // The first argument of the step `item` is the number of the record.
  return onCalls((record) => isSelected(record as number));
}

function badItems(words: string, where: PageTest): Row {
  return having({ keywords: ['agent', 'null'] })
    .subtle(`agent is null in every item if ${words}.`)
    .by(onPages(where)(setItemMembers({ agent: null })));
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
    .by(onRecords((record) => record % 7 === 6)(setItemMembers({ displayName: 4711 }))),
  'item-agent-missing-late': subtle('From record 1000 on, items have no agent.').by(
    onRecords((record) => record >= 1000)(withoutAgent),
  ),
  'item-one-null-name': having({ keywords: ['displayname'] })
    .subtle('The displayName of a single item, record 777, is null.')
    .by(onRecords((record) => record === 777)(setItemMembers({ displayName: null }))),
  'item-last-null': having({ keywords: ['item'] })
    .subtle('The last item is null instead of an object.')
    .by(changeItems((members, record, page) => (record === page.total - 1 ? null : members))),
  'item-without-agent-on-linked-pages': subtle(
    'Items of linked pages have no agent; items of first pages have one.',
  ).by(onPages(isLinked)(withoutAgent)),
  'item-text': having({ keywords: ['object'] })
    .plain('Items are identifiers instead of objects.')
    .by(changeItems((members) => members['id'])),
  'capped-items-null': subtle('agent is null in every item if more than 500 records are requested.').by(
    onPages(isCapped)(setItemMembers({ agent: null })),
  ),
  'items-null-count-false': badItems('$count is false', isCountFalse),
  'items-null-encoded': badItems('$pagesize is written with %24', isEncoded('pagesize')),
  'items-null-by-parameters': badItems('the client requests a page by $skip', isByParameters),
  'items-null-without-compression': badItems('the client accepts no compressed answer', isUncompressed),
  'second-client-index-for-id': having({ keywords: ['second provider'] })
    .subtle('For the second client the id of an item is its number on the page.')
    .by(forSecondClient(changeItems((members, record, page) => ({ ...members, id: record - page.skip })))),
});

export const listDefects = [...envelopes, ...items];
