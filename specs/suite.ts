import { type Check, suiteOf } from '../src/judge/check.ts';
import { authorizationAccepted } from './authorization/accepted.ts';
import { authorizationRequired } from './authorization/required.ts';
import { authorizationRequiredOnEveryPage } from './authorization/required-on-every-page.ts';
import { authorizationScheme } from './authorization/scheme.ts';
import { authorizationTokenIntegrity } from './authorization/token-integrity.ts';
import { countEqualsRecords } from './count/equals-records.ts';
import { countPresent } from './count/present.ts';
import { countStable } from './count/stable.ts';
import { linkAbsentAtTheEnd } from './link/absent-at-the-end.ts';
import { linkAbsentWithoutCount } from './link/absent-without-count.ts';
import { linkOffset } from './link/offset.ts';
import { linkPresentWhenMore } from './link/present-when-more.ts';
import { linkQuery } from './link/query.ts';
import { linkRelative } from './link/relative.ts';
import { listEnvelope } from './list/envelope.ts';
import { listItems } from './list/items.ts';
import { pageSizeDefault } from './page-size/default.ts';
import { pageSizeEncodedName } from './page-size/encoded-name.ts';
import { pageSizeFilled } from './page-size/filled.ts';
import { pageSizeLimit } from './page-size/limit.ts';
import { pageSizeMaximum } from './page-size/maximum.ts';
import { tokenAcceptedUntilExpiry } from './token/accepted-until-expiry.ts';
import { tokenClient } from './token/client.ts';
import { tokenGrantType } from './token/grant-type.ts';
import { tokenIssued } from './token/issued.ts';
import { tokenProviderIsolation } from './token/provider-isolation.ts';
import { tokenRefusedAfterExpiry } from './token/refused-after-expiry.ts';
import { tokenScope } from './token/scope.ts';
import { tokenSecret } from './token/secret.ts';
import { tokenShape } from './token/shape.ts';
import { tokenType } from './token/type.ts';
import { tokenValidity } from './token/validity.ts';
import { traversalByParameters } from './traversal/by-parameters.ts';
import { traversalFollowable } from './traversal/followable.ts';
import { traversalNoDuplicates } from './traversal/no-duplicates.ts';
import { traversalSameRecords } from './traversal/same-records.ts';
import { traversalTerminates } from './traversal/terminates.ts';

/** The conformance suite: one check per requirement, in catalogue order. */
export const suite: readonly Check[] = suiteOf([
  tokenIssued,
  tokenShape,
  tokenType,
  tokenValidity,
  tokenScope,
  tokenGrantType,
  tokenSecret,
  tokenClient,
  tokenProviderIsolation,
  tokenAcceptedUntilExpiry,
  tokenRefusedAfterExpiry,
  authorizationAccepted,
  authorizationRequired,
  authorizationRequiredOnEveryPage,
  authorizationScheme,
  authorizationTokenIntegrity,
  listEnvelope,
  listItems,
  pageSizeDefault,
  pageSizeMaximum,
  pageSizeLimit,
  pageSizeFilled,
  pageSizeEncodedName,
  linkAbsentWithoutCount,
  linkPresentWhenMore,
  linkAbsentAtTheEnd,
  linkRelative,
  linkQuery,
  linkOffset,
  traversalFollowable,
  traversalTerminates,
  traversalNoDuplicates,
  traversalSameRecords,
  traversalByParameters,
  countPresent,
  countStable,
  countEqualsRecords,
]);
