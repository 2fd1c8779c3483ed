import { withCommas } from '../../../core/number-format.ts';
import { visible } from '../../safe-text.ts';
import { Columns } from './columns.tsx';
import type { Frame } from './frame.ts';
import { Scroll } from './scroll.tsx';

/** One picture: a drawing, what it shows in words, and the same as a table. */
export interface Picture {
  readonly target: string;
  readonly title: string;
  readonly words: string;
  /** Made by the chart library, which escapes what it is given. */
  readonly svg: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** How many rows were left out of the table. */
  readonly left: number;
  readonly wide: boolean;
}

/** Pictures of a run, target by target; nothing where there is none. */
export function Pictures({
  frame,
  pictures,
}: {
  readonly frame: Frame;
  readonly pictures: readonly Picture[];
}) {
  if (pictures.length === 0) return null;
  const targets = [...new Set(pictures.map(({ target }) => target))];
  return (
    <section id="pictures" aria-labelledby="pictures-title">
      <h2 id="pictures-title">Pictures</h2>
      {targets.map((target) => (
        <div key={target}>
          {frame.several ? <h3 class="pictures-of">{visible(target)}</h3> : null}
          <div class="pictures">
            {pictures
              .filter((one) => one.target === target)
              .map((one) => (
                <Figure key={one.title} picture={one} />
              ))}
          </div>
        </div>
      ))}
    </section>
  );
}

/** One picture with its words and its table. */
export function Figure({ picture }: { readonly picture: Picture }) {
  return (
    <figure class={picture.wide ? 'wide' : ''}>
      <figcaption>
        <b>{visible(picture.title)}</b>
        <span>{visible(picture.words)}</span>
      </figcaption>
      <Scroll name={visible(picture.title)}>
        <div
          class="drawing"
          role="img"
          aria-label={`${visible(picture.title)}. ${visible(picture.words)}`}
          dangerouslySetInnerHTML={{ __html: picture.svg }}
        />
      </Scroll>
      <details>
        <summary>The same as a table</summary>
        <Scroll name={`${visible(picture.title)}, as a table`}>
          <table>
            <Columns names={picture.columns} />
            <tbody>
              {picture.rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) => (
                    <td key={picture.columns[column]}>{typeof cell === 'string' ? visible(cell) : cell}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
        {picture.left > 0 ? <p class="muted">and {withCommas(picture.left)} more rows</p> : null}
      </details>
    </figure>
  );
}
