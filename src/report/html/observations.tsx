import type { Json, ObservationResult, TargetResult } from '../../core/results.ts';
import { excerpt, observedWords, sentence, showJson, visible } from '../wording/phrases.ts';
import { ExchangeLinks } from './exchange-parts.tsx';
import { usePage } from './page-context.ts';
import { FactList, Section, Table } from './parts.tsx';

/** Details longer than this many characters are collapsed. */
const MAX_OPEN_LENGTH = 160;
/** Maximum length of one member of a detail, in characters. */
const MAX_MEMBER_LENGTH = 1500;

/** What providers do where the specification leaves it open; observations that need attention come first. */
export function Observations() {
  const targets = usePage().results.targets.filter(({ observations }) => observations.length > 0);
  if (targets.length === 0) return null;
  return (
    <Section id="observations" title="Observations without a verdict">
      <p class="muted">
        What the provider does where the specification leaves it open. None of it decides the outcome.
      </p>
      {targets.map((target) => (
        <TargetObservations key={target.name} target={target} />
      ))}
    </Section>
  );
}

function TargetObservations({ target }: { readonly target: TargetResult }) {
  const sorted = target.observations.toSorted(
    (one, other) => Number(other.attention) - Number(one.attention),
  );
  return (
    <Table
      name={`Observations of ${visible(target.name)}`}
      class="observations stacked"
      caption={visible(target.name)}
      widths={['of-observation', 'of-value', 'of-evidence']}
      columns={['observation', 'what the provider does', 'evidence']}
    >
      {sorted.map((one) => (
        <Row key={`${one.id} ${one.resource}`} target={target} observation={one} />
      ))}
    </Table>
  );
}

interface RowProps {
  readonly target: TargetResult;
  readonly observation: ObservationResult;
}

function Row({ target, observation }: RowProps) {
  const of = observedWords(usePage().catalogue, observation.id);
  const lists = new Set(target.observations.flatMap(({ resource }) => resource ?? []));
  const list = lists.size < 2 || observation.resource === null ? '' : visible(observation.resource);
  return (
    <tr class={observation.attention ? 'attention' : undefined}>
      <th scope="row">
        {visible(observation.id)}
        <div class="muted">{[list, of].filter((words) => words !== '').join(': ')}</div>
      </th>
      <td>
        {observation.attention ? (
          <span class="chip inconclusive">
            <span aria-hidden="true">!</span> attention
          </span>
        ) : null}
        <div>{sentence(visible(observation.value))}</div>
        <Detail detail={observation.detail} />
      </td>
      <td data-name="evidence">
        <ExchangeLinks target={target} numbers={observation.exchanges} />
      </td>
    </tr>
  );
}

function Detail({ detail }: { readonly detail: ObservationResult['detail'] }) {
  const members = Object.entries(detail);
  if (members.length === 0) return null;
  const words = members.map(([name, value]) => [visible(name), valueWords(value)] as const);
  const list = <FactList class="detail" facts={words} />;
  if (words.reduce((sum, [name, value]) => sum + name.length + value.length, 0) <= MAX_OPEN_LENGTH)
    return list;
  return (
    <details>
      <summary class="muted">details</summary>
      {list}
    </details>
  );
}

/** A value, without JSON braces if possible: `401: 25, 403: 1`. */
function valueWords(value: Json): string {
  if (typeof value === 'string') return value === '' ? '""' : excerpt(value, MAX_MEMBER_LENGTH);
  if (typeof value !== 'object' || value === null) return showJson(value, MAX_MEMBER_LENGTH);
  const flat = Object.values(value).every((member) => typeof member !== 'object' || member === null);
  if (!flat) return showJson(value, MAX_MEMBER_LENGTH);
  const parts = Object.entries(value).map(([name, member]) =>
    Array.isArray(value) ? valueWords(member) : `${visible(name)}: ${valueWords(member)}`,
  );
  return parts.length === 0 ? 'none' : excerpt(parts.join(', '), MAX_MEMBER_LENGTH);
}
