import type { Arbitrary, AsyncCommand } from 'fast-check';
import { MAX_PAGE_SIZE } from '../../core/page-size.ts';
import type { ModelActor, WrongToken } from './model-actor.ts';
import type { ModelCall, ProviderModel } from './model-state.ts';

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

/** Right calls before a wrong one for the same URL: some caches keep an answer only at its second use. */
const USES_BEFORE = 2;

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
  // Wrong calls of first pages are what other checks send.
  const isLink = theme === EVERYTHING ? boolean() : constant(true);
  const size = oneof(
    { weight: 4, arbitrary: constant(null) },
    { weight: 4, arbitrary: integer({ min: 1, max: 40 }) },
    { weight: 1, arbitrary: integer({ min: 41, max: MAX_PAGE_SIZE }) },
  );
  const count = constantFrom(true, true, undefined, false);
  const drawn: { readonly [kind: string]: Arbitrary<Command> } = {
    list: record({ count, size, page: nat({ max: FURTHEST_PAGE }) }).map((drawn) =>
      commandOf('list', drawn, async (model, actor) => {
        const target = actor.targetOf({
          ...(drawn.count === undefined ? {} : { count: drawn.count }),
          ...model.place(drawn.page, drawn.size ?? model.pageSize),
        });
        await actor.call(model.callOf(target), model.newest);
      }),
    ),
    follow: record({ pick, fresh }).map((drawn) =>
      commandOf('follow', drawn, (model, actor) => follow(model, actor, drawn), hasLinks),
    ),
    'follow twice': record({ pick }).map((drawn) =>
      commandOf(
        'follow twice',
        drawn,
        async (model, actor) => {
          const link = picked(model.links, drawn.pick);
          await follow(model, actor, drawn);
          const { owner } = link;
          if (owner !== null) await actor.call(link, owner);
        },
        hasLinks,
      ),
    ),
    'new connection': record({ pick }).map((drawn) =>
      commandOf('new connection', drawn, async (model, actor) => {
        const call = picked(knownCalls(model), drawn.pick);
        await actor.call(call, call.owner ?? model.newest, { fresh: true });
      }),
    ),
    'request token': constant(null).map(() =>
      commandOf('request token', {}, (_model, actor) => actor.requestToken()),
    ),
    'earlier token': record({ pick, fresh: boolean() }).map((drawn) =>
      commandOf('earlier token', drawn, async (model, actor) => {
        await actor.requireTwoTokens();
        const call = picked(model.calls, drawn.pick);
        await actor.call(call, model.newest, drawn);
        await actor.call(call, model.earliest);
        await actor.call(call, model.earliest);
      }),
    ),
    'other token': record({ pick }).map((drawn) =>
      commandOf('other token', drawn, async (model, actor) => {
        await actor.requireTwoTokens();
        const call = picked(model.calls, drawn.pick);
        await actor.call(call, model.earliest);
        await actor.call(call, model.newest);
      }),
    ),
    'without token': record({ pick, isLink }).map((drawn) =>
      commandOf('without token', drawn, async (model, actor) => {
        const call = guarded(model, drawn);
        const token = call.owner ?? model.newest;
        for (let use = 0; use < USES_BEFORE; use++) await actor.call(call, token);
        await actor.callWithoutToken(call);
        await actor.call(call, token);
      }),
    ),
    'wrong token': record({ pick, isLink, kind: constantFrom<WrongToken>('random', 'shortened') }).map(
      (drawn) =>
        commandOf('wrong token', drawn, async (model, actor) => {
          const call = guarded(model, drawn);
          const token = call.owner ?? model.newest;
          for (let use = 0; use < USES_BEFORE; use++) await actor.call(call, token);
          await actor.callWithWrongToken(call, token, drawn.kind);
          await actor.call(call, token);
        }),
    ),
    // Right after a call that names a page size, as most do.
    'default size': record({ count }).map((drawn) =>
      commandOf('default size', drawn, async (model, actor) => {
        const target = actor.targetOf(drawn.count === undefined ? {} : { count: drawn.count });
        await actor.call(model.callOf(target), model.newest);
      }),
    ),
  };
  return theme.kinds.map((kind) => {
    const arbitrary = drawn[kind];
    if (arbitrary === undefined) throw new Error(`there is no command ${kind}`);
    return arbitrary;
  });
}

function commandOf(
  kind: string,
  drawn: object,
  run: (model: ProviderModel, actor: ModelActor) => Promise<void>,
  check: (model: Readonly<ProviderModel>) => boolean = () => true,
): Command {
  return { check, run, toString: () => `${kind}: ${JSON.stringify(drawn)}` };
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

/** The call to be sent with and without its token. */
function guarded(
  { links, calls }: ProviderModel,
  { pick, isLink }: { readonly pick: number; readonly isLink: boolean },
): ModelCall {
  return picked(isLink && links.length > 0 ? links : calls, pick);
}

function knownCalls({ calls, links }: ProviderModel): readonly ModelCall[] {
  return [...calls, ...links];
}

function picked(calls: readonly ModelCall[], pick: number): ModelCall {
  const call = calls[pick % calls.length];
  if (call === undefined) throw new Error('a sequence begins with a call');
  return call;
}
