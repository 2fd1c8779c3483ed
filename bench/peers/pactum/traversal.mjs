import { spec, token } from './token.mjs';

const bearer = { Authorization: `Bearer ${await token()}`, Tenant: 'bench' };
const text = { type: 'string' };
const list = {
  type: 'object',
  required: ['items', 'count'],
  properties: {
    count: { type: 'integer' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'displayName', 'agent'],
        properties: { id: text, displayName: text, agent: text },
      },
    },
  },
};
const met = new Set();
let count = 0;
for (let path = '/v1/printers?$count=true'; path; ) {
  const { body } = await spec().get(path).withHeaders(bearer).expectStatus(200).expectJsonSchema(list);
  for (const { id } of body.items) met.add(id);
  count = body.count;
  path = body.nextPageLink;
}
if (met.size !== count) throw new Error(`${met.size} records of ${count}`);
