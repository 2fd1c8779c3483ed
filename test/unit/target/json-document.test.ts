import { describe, expect, it } from 'vitest';
import { documentOf } from '../../../src/target/document.ts';

describe('a target file in JSON', () => {
  it('gives the line of each value, also with tabs and CR LF', async () => {
    const text = '{\r\n\t"name": "a\\u00e9",\r\n\t"resources": [\r\n\t\t{"path": "/v1"}\r\n\t]\r\n}\r\n';
    const { value, lineOf } = await documentOf('a.json', text, 'target');
    expect(value).toEqual({ name: 'aé', resources: [{ path: '/v1' }] });
    expect(lineOf(['name'], true)).toBe(2);
    expect(lineOf(['resources', 0, 'path'], false)).toBe(4);
  });

  it('is called JSON if it cannot be read', async () => {
    await expect(documentOf('a.json', '{"a": 1', 'target')).rejects.toThrow('a.json:1: the JSON cannot');
    await expect(documentOf('a.yaml', '{"a": 1', 'target')).rejects.toThrow('a.yaml:1: the YAML cannot');
  });

  it.each(['{"a": 1', '{"a": [1, }', '{"a": 1 "b": 2}'])('is not spoken of as YAML: %s', async (text) => {
    await expect(documentOf('a.json', text, 'target')).rejects.not.toThrow(/flow|block/iu);
  });

  it('is refused if a key is given twice', async () => {
    await expect(documentOf('a.json', '{"a": 1, "a": 2}', 'target')).rejects.toThrow('a.json:1');
  });
});
