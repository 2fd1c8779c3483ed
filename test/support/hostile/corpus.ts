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

/** Servers that misbehave in their connections, headers, framing, or token answers. */
export const exchangeCorpus: readonly Hostile[] = [...connections, ...protocol, ...tokenCases, ...oddities];

/** Servers that misbehave in what the bodies of their answers hold. */
export const contentCorpus: readonly Hostile[] = [...bodies, ...large, ...values, ...links, ...odder];

/** All misbehaving servers, with unique identifiers. */
export const corpus: readonly Hostile[] = [...exchangeCorpus, ...contentCorpus];
