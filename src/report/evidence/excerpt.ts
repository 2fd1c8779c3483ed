import { scanJson } from '../../core/json-scanner.ts';
import { withCommas } from '../../core/number-format.ts';
import type { BodyExcerpt, ExcerptLine } from '../report-data.ts';
import { visible } from '../wording/phrases.ts';

/** The parts of a body that an excerpt must contain. */
export interface Marks {
  /** Members of the top object, such as `nextPageLink`. */
  readonly members: ReadonlySet<string>;
  /** Index of the wrong item; null if it is not a single one. */
  readonly item: number | null;
  /** Texts that mark the items that contain them, such as repeated identifiers. */
  readonly texts: ReadonlySet<string>;
}

export const NO_MARKS: Marks = { members: new Set(), item: null, texts: new Set() };

/** The keys of all marks; lines refer to marks by key. */
export function keysOf({ members, item, texts }: Marks): ReadonlySet<string> {
  return new Set([
    ...[...members].map(memberKey),
    ...(item === null ? [] : [itemKey(item)]),
    ...[...texts].map(textKey),
  ]);
}

const memberKey = (name: string): string => `member ${name}`;
const itemKey = (index: number): string => `item ${index}`;
const textKey = (text: string): string => `text ${text}`;

export interface ExcerptSize {
  /** Number of elements shown at the start of an array; the last element is also shown. */
  readonly head: number;
  readonly line: number;
  readonly lines: number;
}

type Excerpt = Omit<BodyExcerpt, 'key' | 'bytes'>;

/** Deepest nesting of a text that is read as JSON. */
const MAX_DEPTH = 1000;

/** A member of an object: decoded name, unchanged value, and unchanged elements if that is an array. */
interface MemberText {
  readonly name: string;
  readonly value: string;
  readonly elements: readonly string[];
}

/**
 * An excerpt of a JSON text with its tokens as sent: objects by member, also those that are given twice, arrays by
 * their first and last elements.
 *
 * @param complete whether a missing marked member is shown as missing; false for error answers
 */
export function excerptJson(text: string, marks: Marks, size: ExcerptSize, complete: boolean): Excerpt {
  const bytes = Buffer.from(text);
  const textOf = (from: number, to: number): string => bytes.toString('utf8', from, to);
  const members: MemberText[] = [];
  let elements: string[] = [];
  const fault = scanJson(bytes, MAX_DEPTH, {
    element: (from, to) => elements.push(textOf(from, to)),
    member: (name, value) => {
      const decoded = JSON.parse(textOf(name.from, name.to)) as string;
      members.push({ name: decoded, value: textOf(value.from, value.to), elements });
      elements = [];
    },
  });
  if (fault !== null) return excerptText(text, size);
  const lines = new ExcerptLines(size);
  const whole = text.trim();
  if (whole.startsWith('{') && whole.length > 2) {
    lines.add('{');
    members.forEach((member, index) => {
      const { name, value } = member;
      const comma = index < members.length - 1 ? ',' : '';
      const mark = marks.members.has(name) ? [memberKey(name)] : [];
      if (value.startsWith('[') && value.length > 2)
        writeArray(lines, { name, elements: member.elements, comma, mark }, marks);
      else lines.add(`  ${JSON.stringify(name)}: ${value}${comma}`, mark);
    });
    const names = new Set(members.map(({ name }) => name));
    for (const name of marks.members) {
      if (complete && !names.has(name) && belongs(name, names))
        lines.add(`  (no ${name})`, [memberKey(name)]);
    }
    lines.add('}');
  } else if (whole.startsWith('[') && whole.length > 2)
    writeArray(lines, { name: null, elements, comma: '', mark: [] }, marks);
  else lines.add(whole);
  return lines;
}

const LIST_MEMBERS = new Set(['items', 'nextPageLink', 'count']);

// A list has no access_token, and a token answer has no items.
function belongs(name: string, names: ReadonlySet<string>): boolean {
  return LIST_MEMBERS.has(name) ? !names.has('access_token') : !names.has('items');
}

export function excerptText(text: string, size: ExcerptSize): Excerpt {
  const lines = new ExcerptLines(size);
  const maxCharacters = size.line * size.lines;
  for (const line of text.slice(0, maxCharacters).split(/\r?\n/u)) lines.add(line);
  if (text.length > maxCharacters) lines.isCut = true;
  return lines;
}

interface ArrayPart {
  /** The member that it is the value of; null if it is the whole body. */
  readonly name: string | null;
  readonly elements: readonly string[];
  /** What follows its closing bracket. */
  readonly comma: string;
  /** Keys of the marks of its first line. */
  readonly mark: readonly string[];
}

function writeArray(
  lines: ExcerptLines,
  { name, elements: texts, comma, mark }: ArrayPart,
  marks: Marks,
): void {
  const indent = name === null ? '' : '  ';
  const label = name === null ? '' : `${JSON.stringify(name)}: `;
  const total = texts.length > 3 ? `  (${withCommas(texts.length)} in all)` : '';
  lines.add(`${indent}${label}[${total}`, mark);
  const marksOf = (index: number): readonly string[] => [
    ...(name === 'items' && index === marks.item ? [itemKey(index)] : []),
    ...[...marks.texts].filter((text) => (texts[index] ?? '').includes(text)).map(textKey),
  ];
  let hidden = 0;
  const writeHidden = (): void => {
    if (hidden === 0) return;
    lines.add(`${indent}  … ${withCommas(hidden)} more …`);
    lines.isCut = true;
    hidden = 0;
  };
  texts.forEach((text, index) => {
    const markKeys = marksOf(index);
    if (markKeys.length === 0 && index >= lines.size.head && index < texts.length - 1) {
      hidden += 1;
      return;
    }
    writeHidden();
    lines.add(`${indent}  ${text}${index < texts.length - 1 ? ',' : ''}`, markKeys);
  });
  lines.add(`${indent}]${comma}`);
}

class ExcerptLines implements Excerpt {
  readonly lines: ExcerptLine[] = [];
  readonly size: ExcerptSize;
  isCut = false;

  constructor(size: ExcerptSize) {
    this.size = size;
  }

  add(text: string, marks: readonly string[] = []): void {
    if (this.lines.length >= this.size.lines && marks.length === 0) {
      this.isCut = true;
      return;
    }
    const whole = visible(onOneLine(text.slice(0, 4 * this.size.line)));
    const isLong = whole.length > this.size.line;
    if (isLong) this.isCut = true;
    const shown = isLong ? `${whole.slice(0, this.size.line).toWellFormed()}…` : whole;
    // A substring would keep the whole text in memory.
    const copy = Buffer.from(shown).toString();
    this.lines.push({ text: copy, marks });
  }
}

// Removes line breaks between tokens but not inside strings.
function onOneLine(text: string): string {
  return text.replace(
    /("[^"\\]*(?:\\.[^"\\]*)*")|[ \t]*[\r\n]\s*/gu,
    (_match, string?: string) => string ?? ' ',
  );
}
