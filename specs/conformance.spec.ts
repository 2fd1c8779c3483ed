// All tests in one file, for shards: Playwright divides files among shards, and a target must stay in one of them.
import './authorization.spec.ts';
import './count.spec.ts';
import './link.spec.ts';
import './list.spec.ts';
import './page-size.spec.ts';
import './token.spec.ts';
import './traversal.spec.ts';
import './unspecified.spec.ts';
import './x.spec.ts';
