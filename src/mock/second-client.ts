import type { Change, Page, ReceivedRequest, Steps } from './pipeline.ts';

/** The steps that decide about one page. */
type PageStep = 'pageSize' | 'total' | 'more' | 'count' | 'link' | 'slice';

/** Changes one step of list calls for the second client alone. */
export function changeForSecondClient<Name extends PageStep>(
  name: Name,
  around: (inner: Steps[Name]) => Steps[Name],
): Change {
  return (steps) => {
    const theirs = new WeakSet<ReceivedRequest>();
    const usual = steps[name];
    const changed = around(usual);
    const chosen = (page: Page, service: Parameters<typeof usual>[1]): unknown =>
      (theirs.has(page.request) ? changed : usual)(page, service);
    return {
      ...steps,
      authorize: async (request, service) => {
        const token = service.steps.bearer(request, service);
        const session = token === undefined ? undefined : await service.steps.resolve(token, service);
        if (session?.clientId === service.otherCredentials.clientId) theirs.add(request);
        return steps.authorize(request, service);
      },
      [name]: chosen as Steps[Name],
    };
  };
}
