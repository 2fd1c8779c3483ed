import { type Defect, type DefectDraft, type Difficulty, defectsOf } from '../defect.ts';
import type { Change, Page } from '../pipeline.ts';
import { changeEnvelope, changeItems, changeText, type Members } from '../step-changes.ts';

function envelopeDefect(
  difficulty: Difficulty,
  sentence: string,
  apply: Change,
  more: Partial<DefectDraft> = {},
): DefectDraft {
  return { sentence, keywords: ['items'], must: ['list/envelope'], difficulty, apply, ...more };
}

const envelopes = defectsOf({
  'envelope-bare-array': envelopeDefect(
    'plain',
    'The answer is a bare array instead of an object with items.',
    changeEnvelope((_members, parts) => parts.items),
    { keywords: ['object'] },
  ),
  'envelope-value': envelopeDefect(
    'plain',
    'The records are in a member value instead of items.',
    changeEnvelope(({ items, ...rest }) => ({ value: items, ...rest })),
  ),
  'envelope-capital-items': envelopeDefect(
    'plain',
    'The records are in a member Items instead of items.',
    changeEnvelope(({ items, ...rest }) => ({ Items: items, ...rest })),
  ),
  'envelope-nested': envelopeDefect(
    'plain',
    'The envelope is wrapped in a member data, so there is no top-level items.',
    changeEnvelope((members) => ({ data: members })),
  ),
  'envelope-items-by-id': envelopeDefect(
    'plain',
    'items is an object with the records under their identifiers instead of an array.',
    changeEnvelope(({ items, ...rest }, parts) => ({
      items: Object.fromEntries(parts.items.map((item) => [String(Object(item)['id']), item])),
      ...(items === undefined ? {} : rest),
    })),
  ),
  'envelope-items-text': envelopeDefect(
    'hidden',
    'items is a string that holds the array as JSON.',
    changeEnvelope((members) => ({ ...members, items: JSON.stringify(members['items']) })),
  ),
  'envelope-single-item-object': envelopeDefect(
    'subtle',
    'If a page holds exactly one record, items is that record instead of an array.',
    changeEnvelope((members, parts) =>
      parts.items.length === 1 ? { ...members, items: parts.items[0] } : members,
    ),
    { may: ['traversal/followable'] },
  ),
  'envelope-items-missing-when-empty': envelopeDefect(
    'subtle',
    'items is missing if there are no records.',
    changeEnvelope(({ items, ...rest }, parts) => (parts.items.length === 0 ? rest : { items, ...rest })),
    { records: 0 },
  ),
  'envelope-items-null-when-empty': envelopeDefect(
    'hidden',
    'items is null if there are no records.',
    changeEnvelope((members, parts) => (parts.items.length === 0 ? { ...members, items: null } : members)),
    { records: 0 },
  ),
  'envelope-array-without-count': envelopeDefect(
    'subtle',
    'Without $count the answer is a bare array instead of an object with items.',
    changeEnvelope((members, parts, page) => (page.counting ? members : parts.items)),
    { keywords: ['object'] },
  ),
  'envelope-array-with-count': envelopeDefect(
    'hidden',
    'With $count=true the answer is an array of the records and the count instead of an object.',
    changeEnvelope((members, parts, page) => (page.counting ? [parts.items, parts.count] : members)),
    { keywords: ['object'] },
  ),
  'envelope-json-in-text': envelopeDefect(
    'hidden',
    'The body is a JSON string that holds the envelope as JSON, encoded twice.',
    changeText((json) => JSON.stringify(json)),
    { keywords: ['object'] },
  ),
  'envelope-trailing-comma': envelopeDefect(
    'hidden',
    'The body is not valid JSON: the array of items ends with a comma.',
    changeText((json) => json.replace('}],', '},],').replace('}]}', '},]}')),
    { keywords: ['json'] },
  ),
  'envelope-xml': envelopeDefect(
    'plain',
    'The body is XML instead of JSON.',
    changeText((json) => `<list>${json.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</list>`),
    { keywords: ['json'] },
  ),
  'envelope-latin-1': envelopeDefect(
    'subtle',
    'The body is encoded in ISO 8859-1 instead of UTF-8, so names beyond ASCII are invalid.',
    changeText((json) => Buffer.from(json, 'latin1')),
    { keywords: ['utf-8'], may: ['list/items', 'traversal/followable'] },
  ),
  'envelope-empty-body': envelopeDefect(
    'plain',
    'The list call is answered 200 with an empty body.',
    changeText(() => ''),
    { keywords: ['empty'] },
  ),
});

function itemDefect(
  difficulty: Difficulty,
  sentence: string,
  keyword: string,
  rewrite: (members: Members) => unknown,
  where: (record: number, page: Page) => boolean = () => true,
): DefectDraft {
  return {
    sentence,
    keywords: [keyword],
    must: ['list/items'],
    difficulty,
    apply: changeItems((members, record, page) => (where(record, page) ? rewrite(members) : members)),
  };
}

const items = defectsOf({
  'item-id-number': itemDefect(
    'plain',
    'The id of an item is a number instead of a string.',
    'id',
    (members) => ({
      ...members,
      id: Number.parseInt(String(members['id']).slice(0, 8), 16),
    }),
  ),
  'item-id-missing': itemDefect('plain', 'Items have no id.', 'id', ({ id: _id, ...rest }) => rest),
  'item-display-name-spelled': itemDefect(
    'plain',
    'The display name of an item is in displayname instead of displayName.',
    'displayname',
    ({ displayName: displayname, ...rest }) => ({ ...rest, displayname }),
  ),
  'item-agent-object': itemDefect(
    'plain',
    'The agent of an item is an object instead of a string.',
    'agent',
    (members) => ({
      ...members,
      agent: { name: members['agent'] },
    }),
  ),
  'item-agent-null': itemDefect('plain', 'The agent of every item is null.', 'agent', (members) => ({
    ...members,
    agent: null,
  })),
  'item-name-number': itemDefect(
    'hidden',
    'The displayName of every seventh item is a number, because its name looks like one.',
    'displayname',
    (members) => ({ ...members, displayName: 4711 }),
    (record) => record % 7 === 6,
  ),
  'item-agent-missing-late': itemDefect(
    'subtle',
    'From record 1000 on, items have no agent.',
    'agent',
    ({ agent: _agent, ...rest }) => rest,
    (record) => record >= 1000,
  ),
  'item-one-null-name': itemDefect(
    'subtle',
    'The displayName of a single item, record 777, is null.',
    'displayname',
    (members) => ({ ...members, displayName: null }),
    (record) => record === 777,
  ),
  'item-last-null': itemDefect(
    'subtle',
    'The last item is null instead of an object.',
    'item',
    () => null,
    (record, page) => record === page.total - 1,
  ),
  'item-without-agent-on-linked-pages': itemDefect(
    'subtle',
    'Items of linked pages have no agent; items of first pages have one.',
    'agent',
    ({ agent: _agent, ...rest }) => rest,
    (_record, page) => page.skip > 0,
  ),
  'item-text': itemDefect(
    'plain',
    'Items are identifiers instead of objects.',
    'object',
    (members) => members['id'],
  ),
});

/** Defects of the envelope and its items. */
export const listDefects: readonly Defect[] = [...envelopes, ...items];
