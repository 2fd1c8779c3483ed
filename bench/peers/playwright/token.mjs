import { expect } from '@playwright/test';

export const url = process.env.BENCH_URL;

export const form = (secret) => ({
  grant_type: 'client_credentials',
  scope: 'printers.read',
  client_id: 'bench-client',
  client_secret: secret,
});

export async function bearer(request) {
  const answer = await request.post(`${url}/connect/token`, { form: form(process.env.BENCH_SECRET) });
  expect(answer.status()).toBe(200);
  const body = await answer.json();
  expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 3600 });
  return { Authorization: `Bearer ${body.access_token}`, Tenant: 'bench' };
}

export function expectList(body) {
  expect(Array.isArray(body.items)).toBe(true);
  const wrong = body.items.filter(
    ({ id, displayName, agent }) => ![id, displayName, agent].every((one) => typeof one === 'string'),
  );
  expect(wrong).toEqual([]);
}
