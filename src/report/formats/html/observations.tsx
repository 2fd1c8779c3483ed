import type { ObservationResult, TargetResult } from '../../../core/results.ts';
import { showJson, visible } from '../../safe-text.ts';
import type { Frame } from './frame.ts';
import { Scroll } from './scroll.tsx';
import { ExchangeLinks } from './words.tsx';

/** What providers do where the specification is silent; what deserves attention comes first. */
export function Observations({ frame }: { readonly frame: Frame }) {
  const targets = frame.data.results.targets.filter(({ observations }) => observations.length > 0);
  if (targets.length === 0) return null;
  return (
    <section id="observations" aria-labelledby="observations-title">
      <h2 id="observations-title">Observations, not judged</h2>
      {targets.map((target) => (
        <TargetObservations key={target.name} frame={frame} target={target} />
      ))}
    </section>
  );
}

function TargetObservations({ frame, target }: { readonly frame: Frame; readonly target: TargetResult }) {
  const sorted = target.observations.toSorted(
    (one, other) => Number(other.attention) - Number(one.attention),
  );
  return (
    <Scroll name={`Observations of ${visible(target.name)}`}>
      <table>
        <caption>{visible(target.name)}</caption>
        <thead>
          <tr>
            <th scope="col">observation</th>
            <th scope="col">what the provider does</th>
            <th scope="col">worth a look</th>
            <th scope="col">evidence</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map((one) => (
            <Row key={`${one.id} ${one.resource}`} frame={frame} target={target} observation={one} />
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

interface RowProps {
  readonly frame: Frame;
  readonly target: TargetResult;
  readonly observation: ObservationResult;
}

function Row({ frame, target, observation }: RowProps) {
  const { detail } = observation;
  return (
    <tr>
      <th scope="row">
        {visible(observation.id)}
        {observation.resource === null ? null : <div class="muted">{visible(observation.resource)}</div>}
      </th>
      <td>
        {visible(observation.value)}
        {Object.keys(detail).length === 0 ? null : (
          <div class="muted">
            <code>{showJson(detail, 600)}</code>
          </div>
        )}
      </td>
      <td class={observation.attention ? 'inconclusive' : 'muted'}>{observation.attention ? 'yes' : 'no'}</td>
      <td>
        <ExchangeLinks frame={frame} target={target} numbers={observation.exchanges} />
      </td>
    </tr>
  );
}
