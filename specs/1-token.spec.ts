import { judging, test } from '../src/playwright/spec-tests.ts';

test(...judging('token/issued'));
test(...judging('token/shape'));
test(...judging('token/type'));
test(...judging('token/validity'));
test(...judging('token/scope'));
test(...judging('token/grant-type'));
test(...judging('token/secret'));
test(...judging('token/client'));
test(...judging('token/provider-isolation'));
test(...judging('token/accepted-until-expiry'));
test(...judging('token/refused-after-expiry'));
