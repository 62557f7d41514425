// A real OpenID Connect provider on loopback. It signs in the account that the test has set, without pages.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type Configuration } from "oidc-provider";

export interface Account {
  readonly email: string;
  readonly email_verified: boolean;
}

export interface IdentityProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Who signs in from now on. */
  account: Account;
  close(): Promise<void>;
}

/** With the host `localhost` the provider is another site than the service on 127.0.0.1, as a real provider is. */
export async function startIdentityProvider(redirectUri: string, host = "127.0.0.1"): Promise<IdentityProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`;
  const client = { clientId: "waybill", clientSecret: "a secret between the provider and us" };
  const state = {
    issuer,
    ...client,
    account: { email: "nobody@example.com", email_verified: true } as Account,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  const settings: Configuration = {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [redirectUri] }],
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    cookies: { keys: ["a key of the provider"] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({ accountId, claims: async () => ({ sub: accountId, ...state.account }) }),
    loadExistingGrant: async (ctx) => {
      const { session, client: asking } = ctx.oidc;
      const grant = new provider.Grant({ accountId: session?.accountId ?? "", clientId: asking?.clientId ?? "" });
      grant.addOIDCScope("openid email");
      await grant.save();
      return grant;
    },
  };
  const provider = new Provider(issuer, settings);
  const serve = provider.callback();
  server.on("request", (request, response) => {
    if (!request.url?.startsWith("/interaction/")) {
      void serve(request, response);
      return;
    }
    const login = { accountId: state.account.email };
    provider.interactionFinished(request, response, { login }).catch(() => response.destroy());
  });
  return state;
}
