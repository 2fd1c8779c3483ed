import { type Defect, defectsWith, hidden, plain, subtle } from '../defect.ts';
import { isCounted, isLinked, not } from '../page-tests.ts';
import type { Change } from '../pipeline.ts';
import {
  bareArray,
  changeEnvelope,
  changeItems,
  changeText,
  onPages,
  renameEnvelopeMember,
  setItemMembers,
} from '../step-changes.ts';

const namesObject = { keywords: ['object'] };
const namesJson = { keywords: ['json'] };

const envelopes = defectsWith({ keywords: ['items'], must: ['list/envelope'] })({
  'envelope-bare-array': plain('The answer is a bare array instead of an object with items.').by(
    bareArray,
    namesObject,
  ),
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
  'envelope-single-item-object': subtle(
    'If a page holds exactly one record, items is that record instead of an array.',
  ).by(
    changeEnvelope((members, parts) =>
      parts.items.length === 1 ? { ...members, items: parts.items[0] } : members,
    ),
    { may: ['traversal/followable'] },
  ),
  'envelope-items-missing-when-empty': subtle('items is missing if there are no records.').by(
    changeEnvelope(({ items, ...rest }, parts) => (parts.items.length === 0 ? rest : { items, ...rest })),
    { records: 0 },
  ),
  'envelope-items-null-when-empty': hidden('items is null if there are no records.').by(
    changeEnvelope((members, parts) => (parts.items.length === 0 ? { ...members, items: null } : members)),
    { records: 0 },
  ),
  'envelope-array-without-count': subtle(
    'Without $count the answer is a bare array instead of an object with items.',
  ).by(onPages(not(isCounted))(bareArray), namesObject),
  'envelope-array-with-count': hidden(
    'With $count=true the answer is an array of the records and the count instead of an object.',
  ).by(
    changeEnvelope((members, parts, page) => (page.counting ? [parts.items, parts.count] : members)),
    namesObject,
  ),
  'envelope-json-in-text': hidden(
    'The body is a JSON string that holds the envelope as JSON, encoded twice.',
  ).by(
    changeText((json) => JSON.stringify(json)),
    namesObject,
  ),
  'envelope-trailing-comma': hidden('The body is not valid JSON: the array of items ends with a comma.').by(
    changeText((json) => json.replace('}],', '},],').replace('}]}', '},]}')),
    namesJson,
  ),
  'envelope-xml': plain('The body is XML instead of JSON.').by(
    changeText((json) => `<list>${json.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</list>`),
    namesJson,
  ),
  'envelope-latin-1': subtle(
    'The body is encoded in ISO 8859-1 instead of UTF-8, so names beyond ASCII are invalid.',
  ).by(
    changeText((json) => Buffer.from(json, 'latin1')),
    { keywords: ['utf-8'], may: ['list/items', 'traversal/followable'] },
  ),
  'envelope-empty-body': plain('The list call is answered 200 with an empty body.').by(
    changeText(() => ''),
    { keywords: ['empty'] },
  ),
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
  'item-id-number': plain('The id of an item is a number instead of a string.').by(
    changeItems((members) => ({ ...members, id: Number.parseInt(String(members['id']).slice(0, 8), 16) })),
    { keywords: ['id'] },
  ),
  'item-id-missing': plain('Items have no id.').by(
    changeItems(({ id: _id, ...rest }) => rest),
    { keywords: ['id'] },
  ),
  'item-display-name-spelled': plain(
    'The display name of an item is in displayname instead of displayName.',
  ).by(
    changeItems(({ displayName: displayname, ...rest }) => ({ ...rest, displayname })),
    { keywords: ['displayname'] },
  ),
  'item-agent-object': plain('The agent of an item is an object instead of a string.').by(
    changeItems((members) => ({ ...members, agent: { name: members['agent'] } })),
  ),
  'item-agent-null': plain('The agent of every item is null.').by(setItemMembers({ agent: null })),
  'item-name-number': hidden(
    'The displayName of every seventh item is a number, because its name looks like one.',
  ).by(
    onRecords((record) => record % 7 === 6, setItemMembers({ displayName: 4711 })),
    { keywords: ['displayname'] },
  ),
  'item-agent-missing-late': subtle('From record 1000 on, items have no agent.').by(
    onRecords((record) => record >= 1000, withoutAgent),
  ),
  'item-one-null-name': subtle('The displayName of a single item, record 777, is null.').by(
    onRecords((record) => record === 777, setItemMembers({ displayName: null })),
    { keywords: ['displayname'] },
  ),
  'item-last-null': subtle('The last item is null instead of an object.').by(
    changeItems((members, record, page) => (record === page.total - 1 ? null : members)),
    { keywords: ['item'] },
  ),
  'item-without-agent-on-linked-pages': subtle(
    'Items of linked pages have no agent; items of first pages have one.',
  ).by(onPages(isLinked)(withoutAgent)),
  'item-text': plain('Items are identifiers instead of objects.').by(
    changeItems((members) => members['id']),
    { keywords: ['object'] },
  ),
});

/** Defects of the envelope and its items. */
export const listDefects: readonly Defect[] = [...envelopes, ...items];
