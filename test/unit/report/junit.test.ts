import { SaxesParser } from 'saxes';
import { describe, expect, test } from 'vitest';
import { renderJunit } from '../../../src/report/formats/junit.ts';
import { dataOf, FORBIDDEN, hostile, judged, mixed, results, target } from '../../support/report/sample.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Partial<Record<string, string>>>;
  readonly children: Element[];
  text: string;
}

/** Reads XML with a strict parser; throws if it is not well-formed. */
function parsed(xml: string): Element {
  const root: Element = { name: '', attributes: {}, children: [], text: '' };
  const open: Element[] = [root];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element: Element = { name, attributes, children: [], text: '' };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  });
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(xml).close();
  return root.children[0] ?? root;
}

function all(element: Element, name: string): Element[] {
  return element.children.flatMap((child) => [...(child.name === name ? [child] : []), ...all(child, name)]);
}

describe('JUnit XML', () => {
  const root = parsed(renderJunit(dataOf(mixed())));
  const caseOf = (id: string): Element => {
    const found = all(root, 'testcase').find((one) => one.attributes['name']?.startsWith(id));
    if (found === undefined) throw new Error(`no case ${id}`);
    return found;
  };

  test('has a suite per target and chapter, a case per requirement, and correct totals', () => {
    expect(all(root, 'testsuite').map((one) => one.attributes['name'])).toEqual([
      'acme-staging: token',
      'acme-staging: authorization',
      'acme-staging: page-size',
      'acme-staging: link',
    ]);
    expect(root.attributes).toMatchObject({ tests: '8', failures: '2', errors: '1' });
    for (const suite of all(root, 'testsuite')) {
      expect(all(suite, 'testcase')).toHaveLength(Number(suite.attributes['tests']));
      expect(all(suite, 'failure')).toHaveLength(Number(suite.attributes['failures']));
      expect(all(suite, 'error')).toHaveLength(Number(suite.attributes['errors']));
      expect(all(suite, 'skipped')).toHaveLength(Number(suite.attributes['skipped']));
    }
  });

  test('maps each verdict to an element of JUnit', () => {
    expect(caseOf('token/issued').children).toEqual([]);
    expect(caseOf('link/offset').children.map((one) => one.name)).toEqual(['failure']);
    expect(caseOf('authorization/required').children.map((one) => one.name)).toEqual(['error']);
    expect(caseOf('page-size/default').children[0]?.attributes['message']).toBe(
      'inconclusive: needs more than 500 records',
    );
    expect(caseOf('token/provider-isolation').children[0]?.name).toBe('skipped');
  });

  test('contains the proof of a failure', () => {
    const proof = caseOf('link/offset').children[0]?.text ?? '';
    expect(proof).toContain('Expected: 21');
    expect(proof).toContain('Actual: 20');
    expect(proof.split('\n').some((line) => line.startsWith('curl -sS'))).toBe(true);
  });

  test('shows a waived failure without failing', () => {
    const [skipped, output] = caseOf('page-size/filled').children;
    expect(skipped?.attributes['message']).toBe('waived until 2027-03-31: agreed, ticket 4711');
    expect(output?.name).toBe('system-out');
    expect(output?.text).toContain('Expected: 21');
    expect(caseOf('link/query').children[0]?.name).toBe('failure');
  });

  test('is well-formed and safe for any text of the provider', () => {
    const xml = renderJunit(dataOf(hostile()));
    expect(xml).not.toMatch(FORBIDDEN);
    expect(all(parsed(xml), 'script')).toEqual([]);
    expect(all(parsed(xml), 'testcase')).toHaveLength(6);
  });

  test('has the time of the run, and each suite the time of its longest case', () => {
    const slow = [
      judged('count/present', 'pass', { durationMs: 1500 }),
      judged('count/equals-records', 'pass', { durationMs: 2000 }),
    ];
    const timed = parsed(renderJunit(dataOf(results([target([...slow, judged('link/offset', 'fail')])]))));
    expect(timed.attributes['time']).toBe('2.058');
    expect(all(timed, 'testsuite').map((suite) => suite.attributes['time'])).toEqual(['2.000', '0.042']);
  });

  test('marks an interrupted run as incomplete', () => {
    const incompleteness = (complete: boolean): readonly unknown[] => {
      const document = parsed(
        renderJunit(dataOf(results([target([judged('count/present', 'pass')])], { complete }))),
      );
      const property = all(document, 'property').find((one) => one.attributes['name'] === 'complete');
      return [property?.attributes['value'], all(document, 'system-err').map((one) => one.text)];
    };
    expect(incompleteness(true)).toEqual(['true', []]);
    expect(incompleteness(false)).toEqual([
      'false',
      ['The run is incomplete: it was interrupted, or a shard is missing.'],
    ]);
  });

  test('is well-formed for an empty run', () => {
    expect(parsed(renderJunit(dataOf(results([])))).attributes['tests']).toBe('0');
    const one = parsed(renderJunit(dataOf(results([target([judged('count/present', 'pass')])]))));
    expect(all(one, 'testcase')[0]?.attributes['time']).toBe('0.042');
  });
});
