import { form, spec, token } from './token.mjs';

const bearer = { Authorization: `Bearer ${await token()}`, Tenant: 'bench' };
const text = { type: 'string' };
const list = {
  type: 'object',
  required: ['items'],
  properties: {
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

for (const secret of ['', 'wrong', 'bench-secret-4711-081']) {
  await spec().post('/connect/token').withForm(form(secret)).expectStatus(400);
}
for (const path of ['/v1/printers', '/v1/printers?$count=true', '/v1/printers?$pagesize=1']) {
  await spec().get(path).expectStatus(401);
  await spec().get(path).withHeaders(bearer).expectStatus(200).expectJsonSchema(list);
}
for (const query of [
  '$pagesize=7',
  '$count=false',
  '$count=false&$pagesize=7',
  '$count=true&$pagesize=1',
  '$count=true&$pagesize=7',
  '%24count=true&%24pagesize=7',
  '$count=true&%24pagesize=7',
  '%24count=true&$pagesize=7',
]) {
  await spec().get(`/v1/printers?${query}`).withHeaders(bearer).expectStatus(200).expectJsonSchema(list);
}
for (let path = '/v1/printers?$count=true'; path; ) {
  const answer = await spec().get(path).withHeaders(bearer).expectStatus(200).expectJsonSchema(list);
  path = answer.body.nextPageLink;
}
