import type { Observer } from '../../src/judge/observation.ts';
import { accept } from './accept.ts';
import { compression } from './compression.ts';
import { contentType } from './content-type.ts';
import { countValueForms } from './count-value-forms.ts';
import { countWithoutEnabling } from './count-without-enabling.ts';
import { furtherMembers } from './further-members.ts';
import { grantTypeSpelling } from './grant-type-spelling.ts';
import { grantedScope } from './granted-scope.ts';
import { invalidTokenAnswer } from './invalid-token-answer.ts';
import { latency } from './latency.ts';
import { methods } from './methods.ts';
import { nullMembers } from './null-members.ts';
import { order } from './order.ts';
import { pageSizeAboveMaximum } from './page-size-above-maximum.ts';
import { pageSizeInvalid } from './page-size-invalid.ts';
import { rateLimit } from './rate-limit.ts';
import { schemeCase } from './scheme-case.ts';
import { scopeOmitted } from './scope-omitted.ts';
import { serverErrors } from './server-errors.ts';
import { skipBeyondTheEnd } from './skip-beyond-the-end.ts';
import { tenantMissing } from './tenant-missing.ts';
import { tenantUnknown } from './tenant-unknown.ts';
import { tokenCacheHeaders } from './token-cache-headers.ts';
import { tokenErrorAnswer } from './token-error-answer.ts';
import { tokenFormat } from './token-format.ts';
import { tokenGet } from './token-get.ts';
import { tokenRequestJson } from './token-request-json.ts';
import { tokenReuse } from './token-reuse.ts';
import { transport } from './transport.ts';
import { unauthorizedAnswer } from './unauthorized-answer.ts';
import { unknownParameter } from './unknown-parameter.ts';

/** What the specification leaves open, in catalogue order. Nothing here ever fails a provider. */
export const observers: readonly Observer[] = [
  unauthorizedAnswer,
  invalidTokenAnswer,
  tokenErrorAnswer,
  tokenCacheHeaders,
  tokenFormat,
  tokenReuse,
  scopeOmitted,
  grantedScope,
  grantTypeSpelling,
  tokenRequestJson,
  tokenGet,
  schemeCase,
  tenantMissing,
  tenantUnknown,
  accept,
  contentType,
  pageSizeAboveMaximum,
  pageSizeInvalid,
  countValueForms,
  countWithoutEnabling,
  nullMembers,
  furtherMembers,
  order,
  skipBeyondTheEnd,
  unknownParameter,
  methods,
  rateLimit,
  serverErrors,
  compression,
  transport,
  latency,
];
