import type { Arbitrary, AsyncCommand } from 'fast-check';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import { USES_BEFORE } from '../probes/list-refusals.ts';
import type { ModelActor, WrongToken } from './model-actor.ts';
import type { ModelCall, ModelToken, ProviderModel } from './model-state.ts';

type FastCheck = typeof import('fast-check');

/** One command of a sequence: one or more requests that belong together. */
type Command = AsyncCommand<ProviderModel, ModelActor>;

/** Commands that are drawn together. */
export interface Theme {
  readonly name: string;
  readonly kinds: readonly string[];
  /** Least number of different kinds of commands in a sequence. */
  readonly minKinds: number;
  readonly maxCommands: number;
  /**
   * Whether sequences begin with any page of the list; otherwise they begin with the first page, which caches keep most
   * often.
   */
  readonly isAnywhere: boolean;
}

export const THEMES: readonly Theme[] = [
  {
    name: 'links',
    kinds: ['list', 'follow', 'follow twice', 'new connection'],
    minKinds: 4,
    maxCommands: 4,
    isAnywhere: true,
  },
  {
    name: 'tokens',
    kinds: ['request token', 'earlier token', 'other token'],
    minKinds: 3,
    maxCommands: 3,
    isAnywhere: false,
  },
  {
    name: 'refusals',
    kinds: ['without token', 'wrong token', 'default size'],
    minKinds: 3,
    maxCommands: 3,
    isAnywhere: true,
  },
];

/** All commands, for longer sequences. */
export const EVERYTHING: Theme = {
  name: 'everything',
  kinds: THEMES.flatMap(({ kinds }) => kinds),
  minKinds: 6,
  maxCommands: 12,
  isAnywhere: true,
};

/** Pages behind that of the first call that are requested by parameters. */
const FURTHEST_PAGE = 4;

/** The name of a command, with which its text begins. */
export function kindOf(command: unknown): string {
  return String(command).split(':')[0] ?? '';
}

/** Draws commands of a theme. Page sizes are mostly small, to spare the provider, and mostly that of the first call. */
export function commandsOf(fastCheck: FastCheck, theme: Theme): Arbitrary<Command>[] {
  const { boolean, constantFrom, nat, oneof, record, constant, integer } = fastCheck;
  const fresh = constantFrom(false, false, false, true);
  const pick = nat({ max: 1000 });
  // Other checks send wrong calls of first pages.
  const isLink = theme === EVERYTHING ? boolean() : constant(true);
  const size = oneof(
    { weight: 4, arbitrary: constant(null) },
    { weight: 4, arbitrary: integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: integer({ min: 41, max: MAX_PAGE_SIZE }) },
  );
  const count = constantFrom(true, true, undefined, false);
  const drawn: { readonly [kind: string]: (kind: string) => Arbitrary<Command> } = {
    list: commands(
      record({ count, size, page: nat({ max: FURTHEST_PAGE }) }),
      async (model, actor, { count, size, page }) => {
        const place = model.place(page, size ?? model.pageSize);
        await actor.callFirst({ count, ...place });
      },
    ),
    follow: commands(record({ pick, fresh }), follow, hasLinks),
    'follow twice': commands(
      record({ pick }),
      async (model, actor, drawn) => {
        const link = picked(model.links, drawn.pick);
        await follow(model, actor, drawn);
        const { owner } = link;
        if (owner !== null) await actor.call(link, owner);
      },
      hasLinks,
    ),
    'new connection': commands(record({ pick }), async (model, actor, drawn) => {
      const call = picked([...model.calls, ...model.links], drawn.pick);
      await actor.call(call, call.owner ?? model.newest, { fresh: true });
    }),
    'request token': commands(constant({}), (_model, actor) => actor.requestToken()),
    'earlier token': commands(record({ pick, fresh: boolean() }), async (model, actor, drawn) => {
      await actor.requireTwoTokens();
      const call = picked(model.calls, drawn.pick);
      await actor.call(call, model.newest, drawn);
      await actor.call(call, model.earliest);
      await actor.call(call, model.earliest);
    }),
    'other token': commands(record({ pick }), async (model, actor, drawn) => {
      await actor.requireTwoTokens();
      const call = picked(model.calls, drawn.pick);
      await actor.call(call, model.earliest);
      await actor.call(call, model.newest);
    }),
    'without token': commands(record({ pick, isLink }), (model, actor, drawn) =>
      probeBetweenCalls(model, actor, drawn, (call) => actor.callWithoutToken(call)),
    ),
    'wrong token': commands(
      record({ pick, isLink, kind: constantFrom<WrongToken>('random', 'shortened') }),
      (model, actor, drawn) =>
        probeBetweenCalls(model, actor, drawn, (call, token) =>
          actor.callWithWrongToken(call, token, drawn.kind),
        ),
    ),
    // Right after a call that names a page size, as most do.
    'default size': commands(record({ count }), (_model, actor, { count }) => actor.callFirst({ count })),
  };
  return theme.kinds.map((kind) => {
    const arbitrary = drawn[kind]?.(kind);
    if (arbitrary === undefined) throw new Error(`there is no command ${kind}`);
    return arbitrary;
  });
}

/** Commands of one kind, by what is drawn for each of them and how it is carried out. */
function commands<Drawn extends object>(
  arbitrary: Arbitrary<Drawn>,
  run: (model: ProviderModel, actor: ModelActor, drawn: Drawn) => Promise<void>,
  check: (model: Readonly<ProviderModel>) => boolean = () => true,
): (kind: string) => Arbitrary<Command> {
  return (kind) =>
    arbitrary.map((drawn) => ({
      check,
      run: (model, actor) => run(model, actor, drawn),
      toString: () => `${kind}: ${JSON.stringify(drawn)}`,
    }));
}

function hasLinks({ links }: Readonly<ProviderModel>): boolean {
  return links.length > 0;
}

async function follow(
  model: ProviderModel,
  actor: ModelActor,
  drawn: { readonly pick: number; readonly fresh?: boolean },
): Promise<void> {
  const link = picked(model.links, drawn.pick);
  // A link may be bound to the token that obtained it.
  if (link.owner !== null) await actor.call(link, link.owner, { fresh: drawn.fresh === true });
}

/** Sends a call with its token, then a wrong one with the same URL, then the right one again. */
async function probeBetweenCalls(
  model: ProviderModel,
  actor: ModelActor,
  { pick, isLink }: { readonly pick: number; readonly isLink: boolean },
  probe: (call: ModelCall, token: ModelToken) => Promise<void>,
): Promise<void> {
  const { links, calls } = model;
  const known = isLink && links.length > 0 ? links : calls;
  const call = known.find(({ uses }) => uses >= USES_BEFORE) ?? picked(known, pick);
  const token = call.owner ?? model.newest;
  for (let use = 0; use < USES_BEFORE && (call.uses < USES_BEFORE || model.lastUsed !== call); use++)
    await actor.call(call, token);
  await probe(call, token);
  await actor.call(call, token);
}

function picked(calls: readonly ModelCall[], pick: number): ModelCall {
  const call = calls[pick % calls.length];
  if (call === undefined) throw new Error('a sequence begins with a call');
  return call;
}
