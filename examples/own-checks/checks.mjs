import { check, list, property, token } from 'assay';

// Something about the data of every list.
export const agents = list(
  'x/agents-named',
  { rule: 'Every printer names the agent that reports it.', needs: 'a list with records' },
  async ({ records, expect }) => {
    for await (const { record, id, page } of records()) {
      expect(record.agent.trim() !== '', {
        message: `the printer ${id} names no agent`,
        counterexample: { id },
        answers: [page],
      });
    }
  },
);

// Something that holds whatever is asked: the run's seed draws the cases, a breach is shrunk to the smallest one.
export const sizes = property(
  'x/page-size-is-kept-without-count',
  {
    rule: 'A page that is not counted is as long as one that is.',
    arbitrary: (fastCheck) => fastCheck.integer({ min: 1, max: 100 }),
    examples: [1, 50],
    runs: 3,
  },
  async ({ get, expect }, size) => {
    const counted = await get({ $pagesize: size, $count: true });
    const plain = await get({ $pagesize: size });
    expect(plain.json?.items?.length === counted.json?.items?.length, {
      message: `$pagesize=${size} gives ${plain.json?.items?.length} records without $count`,
      expected: counted.json?.items?.length,
      actual: plain.json?.items?.length,
      counterexample: { size },
      answers: [plain, counted],
    });
  },
);

// Something about the token, judged once for the target.
export const lifetime = token(
  'x/token-names-its-client',
  { rule: 'A JWT names the client that it was issued to.', clause: ['our guide, 3.2'] },
  async ({ jwt, expect, skip }) => {
    const token = await jwt();
    if (token === null) skip('the token is opaque');
    expect(typeof token.payload.client_id === 'string' || typeof token.payload.sub === 'string', {
      message: 'the token has neither client_id nor sub',
    });
  },
);

// Anything else: calls with headers of your own, with another token or none.
export const language = check(
  'x/language-changes-nothing',
  { rule: 'Accept-Language does not change what a list holds.', atRest: true },
  async ({ list: { get, call, expect } }) => {
    const usual = await get({ $pagesize: 5 });
    const other = await call({ query: { $pagesize: 5 }, headers: { 'Accept-Language': 'pl' } });
    expect(usual.text === other.text, {
      message: 'another language gives other records',
      answers: [other, usual],
    });
  },
);
