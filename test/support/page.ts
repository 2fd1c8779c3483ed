import { identitiesOf } from '../../src/provider/identity.ts';
import type { Page } from '../../src/provider/page.ts';

let exchange = 0;

/** A page of one record of an exchange of its own, with other facts where given. */
export function aPage(facts: Partial<Page> = {}): Page {
  return {
    kind: 'page',
    exchange: ++exchange,
    target: '/v1/printers',
    status: 200,
    itemCount: 1,
    identities: identitiesOf(['record-0']),
    link: undefined,
    count: 1,
    exactCount: null,
    nulls: [],
    badItem: null,
    furtherMembers: [],
    furtherItemMembers: [],
    cookies: '',
    ...facts,
  };
}
