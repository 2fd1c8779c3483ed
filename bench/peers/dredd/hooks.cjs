// Dredd cannot use command-line values in requests, so the secret and the token are set here.
const hooks = require('hooks');

let token = '';
hooks.beforeEach((transaction, done) => {
  const { request, name } = transaction;
  request.headers.Tenant = 'bench';
  request.body = request.body.trim().replace('SECRET', process.env.BENCH_SECRET);
  if (name.includes('With token') || name.includes('Size') || name.includes('Page'))
    request.headers.Authorization = `Bearer ${token}`;
  done();
});
hooks.afterEach((transaction, done) => {
  if (token === '') token = JSON.parse(transaction.real.body).access_token ?? '';
  done();
});
