// An OpenID Connect provider for development and CI: anybody signs in under any name, and any client registers itself.
// What it says of a person is what was put to /people/NAME last.
import http from 'node:http';
import { Provider } from 'oidc-provider';

const port = Number(process.argv[2]);
const issuer = `http://127.0.0.1:${port}`;
// Whom access tokens are for. A client with `opaque` in its name gets tokens for the userinfo endpoint instead.
const audience = 'urn:ibidem:api';
const people = new Map([
  ['alice', { name: 'Alice', email: 'alice@example.test', email_verified: true, groups: ['hr', 'staff'] }],
  ['bob', { name: 'Bob', email: 'bob@example.test', email_verified: true, groups: ['staff'] }],
]);
const said = (name) => people.get(name) ?? { groups: [] };

const provider = new Provider(issuer, {
  pkce: { required: () => true },
  scopes: ['openid', 'email', 'profile', 'groups', 'offline_access'],
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'], groups: ['groups'] },
  conformIdTokenClaims: false,
  clientDefaults: { token_endpoint_auth_method: 'client_secret_basic' },
  features: {
    devInteractions: { enabled: true },
    registration: { enabled: true },
    deviceFlow: { enabled: true },
    backchannelLogout: { enabled: true },
    rpInitiatedLogout: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: (ctx, client) => (client.clientName?.includes('opaque') ? undefined : audience),
      useGrantedResource: () => true,
      getResourceServerInfo: (ctx, resource) => ({
        scope: 'openid email profile groups',
        audience: resource,
        accessTokenFormat: 'jwt',
        accessTokenTTL: 600,
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  extraTokenClaims: (ctx, token) => ({ groups: said(token.accountId).groups }),
  findAccount: (ctx, id) => ({
    accountId: id,
    claims: (use) => {
      const { only_in_userinfo: hidden, groups, ...rest } = said(id);
      return { sub: id, ...rest, ...(hidden && use === 'id_token' ? {} : { groups }) };
    },
  }),
  // It tells servers on this machine that somebody has logged out, which it would refuse to reach by itself, and waits for
  // them on a busy machine too.
  fetch: (url, { dispatcher, signal, ...options }) => fetch(url, options),
  cookies: { keys: ['for tests on loopback only'] },
  ttl: { AccessToken: 600, IdToken: 600, Session: 3600, Grant: 3600, Interaction: 600, DeviceCode: 600 },
});

const answer = provider.callback();
const server = http.createServer((request, response) => {
  const [, folder, name] = request.url.split('/');
  if (request.method !== 'PUT' || folder !== 'people') {
    answer(request, response);
    return;
  }
  let body = '';
  request.on('data', (piece) => { body += piece; });
  request.on('end', () => {
    people.set(decodeURIComponent(name), JSON.parse(body));
    response.writeHead(204).end();
  });
});
server.listen(port, '127.0.0.1', () => console.log('ready', issuer));
