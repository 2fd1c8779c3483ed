// All tests in one file, for shards: Playwright divides files among shards, and a target must stay in one of them.
import './1-token.spec.ts';
import './2-authorization.spec.ts';
import './3-list.spec.ts';
import './4-page-size.spec.ts';
import './5-link.spec.ts';
import './6-traversal.spec.ts';
import './7-count.spec.ts';
import './8-observations.spec.ts';
import './9-custom-checks.spec.ts';
