import { describe, expect, it } from 'vitest';
import { type Drawing, draw } from '../../src/report/charts/draw.ts';
import { scaleOf } from '../../src/report/charts/scale.ts';

const points: Drawing = {
  width: 400,
  height: 200,
  data: {
    values: [
      { asked: 0, got: 0, how: 'good' },
      { asked: 480, got: 97, how: 'bad & "worse" <b>' },
    ],
  },
  mark: { type: 'point', size: 30 },
  encoding: {
    x: { field: 'asked', type: 'quantitative', title: 'asked for' },
    y: { field: 'got', type: 'quantitative', title: 'received' },
    color: {
      field: 'how',
      type: 'nominal',
      scale: { domain: ['good', 'bad & "worse" <b>'], range: ['green', 'red'] },
    },
  },
};

describe('pictures', () => {
  it('place values between the ends of their axes, whose ticks are round', () => {
    const x = scaleOf(points, 'x');
    const y = scaleOf(points, 'y');
    expect(x.ticks.map(({ label }) => label)).toEqual(['0', '200', '400', '600']);
    expect(y.ticks.map(({ label }) => label)).toEqual(['0', '50', '100']);
    expect([x.at(0), x.at(600), y.at(0), y.at(100)]).toEqual([0, 400, 200, 0]);
    const svg = draw(points);
    expect(svg).toContain('<circle cx="0" cy="200"');
    expect(svg).toContain('<circle cx="320" cy="6"');
  });

  it('write whatever they are given as text', () => {
    const svg = draw(points);
    expect(svg).toContain('bad &amp; &quot;worse&quot; &lt;b&gt;');
    expect(svg).not.toContain('<b>');
  });

  it('stand bars that begin together upon each other', () => {
    const values = [
      { from: 0, to: 1, requests: 3 },
      { from: 0, to: 1, requests: 2 },
      { from: 1, to: 2, requests: 4 },
    ];
    const stacked: Drawing = {
      width: 100,
      height: 50,
      data: { values },
      mark: { type: 'bar' },
      encoding: {
        x: { field: 'from', type: 'quantitative' },
        x2: { field: 'to' },
        y: { field: 'requests', type: 'quantitative', stack: 'zero', scale: { nice: false } },
      },
    };
    expect(scaleOf(stacked, 'y').at(5)).toBe(0);
    expect(draw(stacked)).toContain('<rect x="0" width="50" y="0" height="20"');
  });

  it('of one value alone, or of none, are drawn all the same', () => {
    for (const values of [[], [{ asked: 5, got: 5, how: 'good' }]])
      expect(draw({ ...points, data: { values } })).not.toMatch(/NaN|Infinity/);
  });
});
