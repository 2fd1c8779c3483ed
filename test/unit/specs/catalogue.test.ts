import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { anyRow, matchIds, observations, requirements } from '../../../specs/catalogue.ts';
import { packageFile } from '../../../src/core/package-file.ts';
import { CHAPTERS, chapterOf } from '../../../src/core/requirement.ts';
import { findSuggestion } from '../../../src/core/suggestion.ts';
import { UserError } from '../../../src/core/user-error.ts';

/** Identifiers from the files in `specs`. */
const files = readdirSync(packageFile('specs'), { recursive: true, encoding: 'utf8' })
  .map((file) => file.split(path.sep))
  .filter(([, name]) => name?.endsWith('.ts') === true && name !== 'index.ts')
  .map(([folder, name = '']) => `${folder === 'observations' ? 'observe' : folder}/${path.parse(name).name}`);

describe('the catalogue', () => {
  test('has one row for each file of a requirement or an observation', () => {
    const ids = [...requirements, ...observations].map((one): string => one.id);
    expect(new Set(ids)).toEqual(new Set(files));
    expect(ids).toHaveLength(files.length);
  });

  test('keeps its chapters together and in order', () => {
    const chapters = requirements.map((one) => chapterOf(one.id));
    expect(chapters.filter((chapter, index) => chapter !== chapters[index - 1])).toEqual(CHAPTERS);
  });

  test.each(requirements)('$id has complete texts', (row) => {
    expect(row.id).toMatch(/^[a-z]+(-[a-z]+)*\/[a-z]+(-[a-z]+)*$/u);
    expect(row.clause.length).toBeGreaterThan(0);
    for (const clause of row.clause) expect(clause).toMatch(/^\d(\.\d){0,2}$/u);
    for (const text of [row.rule, row.tested, row.breach, row.causes]) {
      expect(text.length).toBeGreaterThan(20);
      expect(text).toMatch(/[.:?]$/u);
      expect(text).not.toMatch(/\s{2}|\n|\\/u);
    }
    if (row.needs !== null) expect(row.needs).not.toMatch(/\.$/u);
  });

  test.each(observations)('$id states its subject', (row) => {
    expect(row.id).toMatch(/^observe\//u);
    expect(row.of).toMatch(/\.$/u);
    expect(row.clause.length).toBeGreaterThan(0);
  });
});

describe('looking things up', () => {
  test('finds a row by its identifier', () => {
    expect(anyRow('link/offset').clause).toEqual(['2.3']);
    expect(anyRow('observe/latency').clause).toEqual(['8']);
  });

  test('is an error for an unknown identifier', () => {
    expect(() => anyRow('zzzzzzzz')).toThrow(/^there is no requirement or observation "zzzzzzzz"$/u);
  });

  test('suggests identifiers that contain a part of the word, ignoring letter case', () => {
    expect(findSuggestion('OFFSET', ['link/query', 'link/offset'])).toBe('link/offset');
    expect(findSuggestion('ab', ['xaby'])).toBeNull();
    expect(findSuggestion('tokne/issued', ['token/issued'])).toBe('token/issued');
  });
});

describe('globs', () => {
  test('match whole identifiers, in the order of the catalogue, each once', () => {
    expect(matchIds(['count/*', 'link/relative', 'count/present'])).toEqual([
      'link/relative',
      'count/present',
      'count/stable',
      'count/equals-records',
    ]);
    expect(matchIds(['*'])).toHaveLength(requirements.length + observations.length);
    expect(matchIds(['link/offse?'])).toEqual(['link/offset']);
  });

  test('treat only * and ? as special', () => {
    expect(() => matchIds(['link.offset'])).toThrow(UserError);
    expect(() => matchIds(['[a-z]+/*'])).toThrow(UserError);
    expect(() => matchIds([''])).toThrow(UserError);
  });

  test('that match nothing are an error with a suggestion', () => {
    expect(() => matchIds(['links/*'])).toThrow('"links/*" matches no requirement; did you mean "link/*"?');
    expect(() => matchIds(['tokn/issued'])).toThrow('did you mean "token/issued"?');
  });
});
