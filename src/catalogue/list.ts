import type { Requirement } from '../core/requirement.ts';
import { prose } from './prose.ts';

/** The envelope of a list and its items (clauses 2.2 and 2.3). */
export const list: readonly Requirement[] = [
  {
    id: 'list/envelope',
    clause: ['2.3', '4.2'],
    smoke: true,
    rule: 'A list answer is one JSON object with an array named items. It may hold more members.',
    needs: null,
    tested: prose`Reads every answer of status 200 to a list call with page sizes from 1 to 500, with and without $count,
      first, linked, asked by parameters or spelled with %24, against schemas/list-envelope.schema.json.`,
    breach:
      'A bare array, another member name (value, data, Items), items null or missing, or a body that is not JSON.',
    causes: prose`A serialiser with another naming policy (stock ASP.NET OData writes value, or Items); an empty list
      written as null or left out; an exception in the middle of writing, closed as though it were complete; a login
      page or an error page answered with 200.`,
    fix: prose`Name the member items in the serialiser, write an empty list as [], build the whole answer
      before the status is sent, and answer errors with a status of their own.`,
  },
  {
    id: 'list/items',
    clause: ['2.2', '2.3'],
    smoke: true,
    rule: prose`Every item of every page that was visited fits the item schema of its resource; a printer has id,
      displayName and agent, all strings.`,
    needs: null,
    tested: prose`Reads each item of each of the pages that list/envelope reads against the item schema (schemas/printer.schema.json, or the
      one that the target file names).`,
    breach: 'A member is missing or null, or has another type, in at least one item.',
    causes: prose`Members with no value left out or written as null (a printer whose agent is gone is the usual one);
      numeric identifiers written as numbers; a naming policy that writes DisplayName or display_name; a second
      code path, such as a later page or a join, that fills fewer fields.`,
    fix: prose`Make the members required in the model, write an empty string where there is no value, write
      identifiers as strings, and use one mapping for all pages.`,
  },
];
