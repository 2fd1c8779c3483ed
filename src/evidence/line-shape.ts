import { EVIDENCE_FORMAT, type EvidenceLine, type SettingLine, type UsesLine } from './line.ts';

/**
 * Whether a value has the members of an evidence line that are read, except its body. The file may have been
 * changed. schemas/evidence.schema.json is stricter.
 */
export function isLine(value: unknown): value is EvidenceLine | SettingLine | UsesLine {
  if (!isRecord(value) || value['format'] !== EVIDENCE_FORMAT || !isText(value['target'])) return false;
  if ('setting' in value) return isSetting(value['setting']);
  return 'uses' in value ? areUses(value['uses']) : isExchange(value);
}

function isSetting(value: unknown): boolean {
  return (
    isRecord(value) &&
    ['target', 'options', 'schemas'].every((name) => isRecord(value[name])) &&
    (value['build'] == null || isText(value['build'])) &&
    Object.values(isRecord(value['ownChecks']) ? value['ownChecks'] : {}).every(isText) &&
    isListOf(value['secrets'], isSecret)
  );
}

function areUses(value: unknown): boolean {
  const isSpan = (one: unknown): boolean => isListOf(one, isCount);
  return isRecord(value) && Object.values(value).every((spans) => isListOf(spans, isSpan));
}

function isExchange(line: Members): boolean {
  const { number, startedAt, durationMs, retry, request, answer, failure, tokens = [] } = line;
  return (
    isCount(number) &&
    isText(startedAt) &&
    !Number.isNaN(Date.parse(startedAt)) &&
    typeof durationMs === 'number' &&
    isCount(retry) &&
    isRequest(request) &&
    (answer === null ? isRecord(failure) : failure === null && isAnswer(answer)) &&
    isListOf(tokens, isSecret)
  );
}

function isRequest(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { method, origin, target, headers, body } = value;
  return [method, origin, target].every(isText) && areHeaders(headers) && (body === null || isText(body));
}

function isAnswer(value: unknown): boolean {
  if (!isRecord(value) || !isCount(value['status']) || !isText(value['statusText'])) return false;
  const { headers, body } = value;
  return areHeaders(headers) && isRecord(body) && isText(body['sha256']) && isCount(body['bytes']);
}

function areHeaders(value: unknown): boolean {
  return isListOf(value, (one) => Array.isArray(one) && one.length === 2 && one.every(isText));
}

function isSecret(value: unknown): boolean {
  return isRecord(value) && isText(value['label']) && isCount(value['length']);
}

type Members = { readonly [name: string]: unknown };

function isRecord(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isOne);
}
