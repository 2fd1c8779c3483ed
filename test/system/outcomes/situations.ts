import { requirements } from '../../../specs/catalogue.ts';
import { MISCONFIGURATIONS } from './misconfigurations.ts';
import {
  conformant,
  failing,
  misconfigured,
  type Situation,
  type Situations,
  unavailable,
} from './situation.ts';

const waivers = (requirement: string): NonNullable<Situation['target']> => ({
  waivers: [{ requirement, reason: 'agreed', until: '2099-12-31' }],
});
const OFFSET = { defects: ['skip-in-pages'] };
const EMPTY = { records: 0 };
const SHORT = { records: 3 };
// Slow enough for a busy machine to finish the other checks before their token must be renewed.
const SLOW = { clockRate: 360 };

const ALL = requirements.length;
const SMOKE = requirements.filter(({ smoke }) => smoke).length;

export const SITUATIONS: Situations = {
  'a conforming provider': [{ ...conformant, headline: 'Every tested requirement passed' }],
  'a conforming provider, smoke': [
    { ...conformant, headline: `${SMOKE} of ${ALL} requirements selected` },
    { options: '--suite smoke' },
  ],
  'a conforming provider, strict': [conformant, { options: '--strict' }],
  'a conforming provider with --expiry': [
    conformant,
    { mock: SLOW, target: { expiry: SLOW }, options: '--expiry' },
  ],
  'a certification that does not wait for a token to expire': [
    {
      status: 2,
      outcome: 'conformant',
      headline: `${ALL - 1} of ${ALL} requirements passed; not tested: token/accepted-until-expiry`,
    },
    { options: '--suite certify' },
  ],
  'a certification of a list of 3 records': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: SHORT, options: '--suite certify' },
  ],
  'a failure': [{ ...failing('link/offset'), causes: ['blocked'] }, { mock: OFFSET }],
  'a failure, smoke': [
    { ...failing('link/offset'), causes: ['blocked'] },
    { mock: OFFSET, options: '--suite smoke' },
  ],
  'a failure of a requirement that blocks a selected one': [
    { ...failing('link/offset'), causes: ['blocked'] },
    { mock: OFFSET, options: '--only traversal/followable' },
  ],
  'the same, left out by the user': [
    { status: 2, outcome: 'inconclusive', causes: ['blocked'] },
    { mock: OFFSET, options: '--only traversal/followable --skip link/offset' },
  ],
  'a failure and --allow-inconclusive': [
    failing('link/offset'),
    { mock: OFFSET, options: '--allow-inconclusive' },
  ],
  'one selected requirement that passes': [
    { ...conformant, headline: `1 of ${ALL} requirements selected; it passed` },
    { options: '--only link/offset' },
  ],
  'a waived failure that blocks nothing': [
    { ...conformant, failed: ['token/type'], headline: '1 failure that a waiver covers' },
    { mock: { defects: ['token-type-lower-case'] }, target: waivers('token/*') },
  ],
  'a waived failure, by a glob with a question mark': [
    { ...conformant, failed: ['token/type'] },
    { mock: { defects: ['token-type-lower-case'] }, target: waivers('token/typ?') },
  ],
  'a waived failure that blocks others': [
    { status: 2, outcome: 'inconclusive', failed: ['link/offset'], causes: ['blocked'] },
    { mock: OFFSET, target: waivers('link/offset') },
  ],
  'a waived failure that blocks others, allowed': [
    { status: 0, outcome: 'inconclusive', failed: ['link/offset'] },
    { mock: OFFSET, target: waivers('link/offset'), options: '--allow-inconclusive' },
  ],
  'a waiver that has ended': [
    failing('link/offset'),
    {
      mock: OFFSET,
      target: { waivers: [{ requirement: 'link/offset', reason: 'agreed', until: '2020-01-01' }] },
    },
  ],
  'a baseline with the same failure': [
    { status: 0, outcome: 'non-conformant', failed: ['link/offset'] },
    { mock: OFFSET, baseline: '' },
  ],
  'a baseline that knows another requirement alone': [
    failing('link/offset'),
    { mock: OFFSET, baseline: '--only token/*' },
  ],
  'a list of 3 records': [
    { status: 0, outcome: 'inconclusive', causes: ['data'], headline: 'need more records' },
    { mock: SHORT },
  ],
  'a list of 3 records, strict': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: SHORT, options: '--strict' },
  ],
  'a list of 3 records, smoke': [
    {
      status: 0,
      outcome: 'inconclusive',
      causes: ['data'],
      headline: `1 of ${ALL} requirements needs more records`,
    },
    { mock: SHORT, options: '--suite smoke' },
  ],
  'one requirement that needs more records': [
    { status: 2, outcome: 'inconclusive', causes: ['data'], headline: 'Nothing could be tested' },
    { mock: SHORT, options: '--only page-size/default' },
  ],
  'an empty list': [{ status: 2, outcome: 'inconclusive', causes: ['data'] }, { mock: EMPTY }],
  'an empty list, smoke': [
    { status: 2, outcome: 'inconclusive', causes: ['data'] },
    { mock: EMPTY, options: '--suite smoke' },
  ],
  'an empty list, allowed': [
    { status: 0, outcome: 'inconclusive', causes: ['data'], headline: '--allow-inconclusive' },
    { mock: EMPTY, options: '--allow-inconclusive' },
  ],
  'data that keeps changing': [
    { status: 2, outcome: 'inconclusive' },
    { mock: { variant: 'living-swaps', seed: 1 } },
  ],
  'a list of 3 records that is filled during the run': [
    { status: 2, outcome: 'inconclusive', causes: ['changing'] },
    { mock: { variant: 'living-imported-late' } },
  ],
  'a limit that ends the run early': [
    { status: 2, outcome: 'inconclusive', causes: ['limit'] },
    { options: '--max-requests 12' },
  ],
  'a limit of pages': [
    { status: 2, outcome: 'inconclusive', causes: ['limit'] },
    { target: { limits: { maxPages: 2 } } },
  ],
  'every requirement skipped but one that is not configured': [
    { status: 2, outcome: 'inconclusive', causes: [], headline: 'Nothing could be tested' },
    { target: { otherCredentials: undefined }, options: '--only token/provider-isolation' },
  ],
  ...MISCONFIGURATIONS,
  'a list that refuses every token': [
    failing('authorization/accepted'),
    { mock: { defects: ['authorization-always-refused'] } },
  ],
  'an unreachable host': [
    unavailable,
    { target: { authUrl: 'http://127.0.0.1:9', baseUrl: 'http://127.0.0.1:9', limits: { retries: 0 } } },
  ],
  'https in place of http': [misconfigured('authUrl'), { target: { https: true } }],
  'a token that ends after twenty calls': [
    failing('token/accepted-until-expiry'),
    { mock: { defects: ['token-ends-after-twenty-calls'] } },
  ],
  'a provider that revokes tokens when it issues others': [
    conformant,
    { mock: { variant: 'token-newest-only' } },
  ],
};
