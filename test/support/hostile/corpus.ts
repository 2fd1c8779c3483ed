import { bodies } from './cases/bodies.ts';
import { connections } from './cases/connections.ts';
import { large } from './cases/large.ts';
import { links } from './cases/links.ts';
import { protocol } from './cases/protocol.ts';
import { tokenCases } from './cases/tokens.ts';
import { values } from './cases/values.ts';
import { odder } from './cases/values-odd.ts';
import { oddities } from './cases/wire-odd.ts';
import type { Hostile } from './hostile.ts';

/** All misbehaving servers, with unique identifiers. */
export const corpus: readonly Hostile[] = [
  ...connections,
  ...protocol,
  ...bodies,
  ...large,
  ...values,
  ...links,
  ...tokenCases,
  ...oddities,
  ...odder,
];
