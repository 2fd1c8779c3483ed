import { observations, requirements } from '../../../specs/catalogue.ts';
import { defects } from '../../mock/defects/index.ts';

/** A requirement or observation in a listing. */
export interface Row {
  readonly id: string;
  readonly level: 'must' | 'observation';
  readonly clause: readonly string[];
  readonly smoke: boolean;
  readonly rule: string;
  readonly needs: string | null;
  /** Source file of the check or the observer. */
  readonly check: string;
  /** Defects of the reference provider that the check must find; empty for observations. */
  readonly defects: readonly string[];
}

/** A clause of the specification with its check and the defects that prove the check. */
export interface Trace {
  readonly clause: string;
  readonly requirement: string;
  readonly level: Row['level'];
  readonly check: string;
  readonly defects: readonly string[];
}

/** All requirements, then all observations. */
export function catalogueRows(): readonly Row[] {
  return [
    ...requirements.map(({ id, clause, smoke, rule, needs }): Row => {
      const check = `specs/${id}.ts`;
      return { id, level: 'must', clause, smoke, rule, needs, check, defects: defectsOf(id) };
    }),
    ...observations.map(({ id, clause, of }): Row => {
      const check = `specs/observations/${id.replace(/^observe\//u, '')}.ts`;
      return { id, level: 'observation', clause, smoke: false, rule: of, needs: null, check, defects: [] };
    }),
  ];
}

/** Identifiers of the defects that a requirement's check must find. */
export function defectsOf(id: string): readonly string[] {
  return defects.filter(({ must }) => must.includes(id)).map((defect) => defect.id);
}

/** Every clause with every row that refers to it, in the order of the specification. */
export function traces(rows: readonly Row[]): readonly Trace[] {
  return rows
    .flatMap(({ id, clause, level, check, defects: proving }) =>
      clause.map((one): Trace => ({ clause: one, requirement: id, level, check, defects: proving })),
    )
    .toSorted((one, other) => one.clause.localeCompare(other.clause, 'en', { numeric: true }));
}
