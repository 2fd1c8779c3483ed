import { describe, expect, it } from 'vitest';
import { requirements } from '../../../specs/catalogue.ts';
import {
  defects,
  findDefect,
  findVariant,
  startMock,
  sweepDefect,
  variants,
} from '../../../src/mock/index.ts';

const ids = requirements.map(({ id }) => id);

describe('the defects', () => {
  it('are subtle in at least a third of all cases', () => {
    const subtle = defects.filter((defect) => defect.difficulty === 'subtle');
    expect(subtle.length * 3).toBeGreaterThanOrEqual(defects.length);
  });

  it.each(ids)('break %s in a subtle way, and in one that is easier to find', (requirement) => {
    const breaking = defects.filter(({ must }) => must.includes(requirement));
    const subtle = breaking.filter(({ difficulty }) => difficulty === 'subtle');
    expect(subtle.length).toBeGreaterThan(0);
    expect(subtle.length).toBeLessThan(breaking.length);
  });

  it('name existing requirements, none both as must and as may', () => {
    for (const defect of defects) {
      expect(defect.must.length, defect.id).toBeGreaterThan(0);
      for (const requirement of [...defect.must, ...defect.may]) {
        expect(ids, defect.id).toContain(requirement);
      }
      const all = [...defect.must, ...defect.may];
      expect(new Set(all).size, defect.id).toBe(all.length);
    }
  });

  it('have an identifier in kebab case, one sentence and lower-case keywords', () => {
    for (const defect of defects) {
      expect(defect.id).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(defect.sentence).toMatch(/^\S.*\.$/);
      expect(defect.keywords.length).toBeGreaterThan(0);
      for (const keyword of defect.keywords) expect(keyword).toBe(keyword.toLowerCase());
      expect(defect.records).toBeGreaterThanOrEqual(0);
    }
  });

  it('have unique identifiers and sentences', () => {
    expect(new Set(defects.map((defect) => defect.id)).size).toBe(defects.length);
    expect(new Set(defects.map((defect) => defect.sentence)).size).toBe(defects.length);
  });

  it('are found by identifier, and an unknown one is an error with its name', async () => {
    for (const defect of defects) expect(findDefect(defect.id)).toBe(defect);
    expect(() => findDefect('no-such')).toThrow('no-such');
    await expect(startMock({ defects: ['no-such'] })).rejects.toThrow('no-such');
  });

  it('can be planted at any page size', () => {
    expect(findDefect('sweep-limit-at-137')).toMatchObject({
      id: 'sweep-limit-at-137',
      must: ['page-size/limit'],
    });
    expect(sweepDefect('filled', 500).must).toEqual(['page-size/filled']);
    expect(() => sweepDefect('filled', 1)).toThrow(RangeError);
    expect(() => sweepDefect('limit', 501)).toThrow(RangeError);
    expect(() => findDefect('sweep-count-at-0')).toThrow(RangeError);
  });
});

describe('the variants', () => {
  it('are at least 60, at least ten of them living', () => {
    expect(variants.length).toBeGreaterThanOrEqual(60);
    expect(variants.filter((variant) => variant.living).length).toBeGreaterThanOrEqual(10);
  });

  it('have a unique identifier in kebab case and a unique sentence', async () => {
    for (const variant of variants) {
      expect(variant.id).toMatch(/^[a-z0-9.]+(-[a-z0-9.]+)*$/);
      expect(variant.sentence).toMatch(/^\S.*\.$/);
      expect(findVariant(variant.id)).toBe(variant);
    }
    expect(new Set(variants.map((variant) => variant.id)).size).toBe(variants.length);
    expect(new Set(variants.map((variant) => variant.sentence)).size).toBe(variants.length);
    await expect(startMock({ variant: 'no-such' })).rejects.toThrow('no-such');
  });
});
