import pactum from 'pactum';

const { request, spec } = pactum;

export const url = process.env.BENCH_URL;
request.setBaseUrl(url);

export const form = (secret) => ({
  grant_type: 'client_credentials',
  scope: 'printers.read',
  client_id: 'bench-client',
  client_secret: secret,
});

export async function token() {
  const answer = await spec()
    .post('/connect/token')
    .withForm(form(process.env.BENCH_SECRET))
    .expectStatus(200)
    .expectJsonLike({ token_type: 'Bearer', expires_in: 3600 });
  return answer.body.access_token;
}

export { spec };
