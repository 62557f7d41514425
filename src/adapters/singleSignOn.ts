// OpenID Connect by `openid-client`. The provider's answers are not logged, only an error's name, code and status: they contain secrets.
import * as openId from "openid-client";
import type { Logger } from "pino";
import type { Identity, SingleSignOn } from "../ports/people.js";
import { recentLoads } from "../recentValues.js";

export interface SingleSignOnOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The address that the provider sends the browser back to. It has to be registered at the provider. */
  readonly redirectUri: string;
  readonly logger: Logger;
}

const maxAnswerSeconds = 5;

export function createSingleSignOn(options: SingleSignOnOptions): SingleSignOn {
  const { redirectUri, logger } = options;
  const loadOnce = recentLoads<openId.Configuration>(1);
  /** Fetches the provider's settings once. A failed fetch is repeated at the next call. */
  const provider = () => loadOnce("", () => discover(options));
  const logFailure = (error: unknown, message: string) => {
    const { name, code, status } = error as { name?: string; code?: string; status?: number };
    logger.warn({ error: name, code, status }, message);
  };

  return {
    async begin() {
      try {
        const configuration = await provider();
        const checks = { state: openId.randomState(), nonce: openId.randomNonce(), codeVerifier: openId.randomPKCECodeVerifier() };
        const url = openId.buildAuthorizationUrl(configuration, {
          redirect_uri: redirectUri,
          scope: "openid email",
          state: checks.state,
          nonce: checks.nonce,
          code_challenge: await openId.calculatePKCECodeChallenge(checks.codeVerifier),
          code_challenge_method: "S256",
        });
        return { url: url.href, checks };
      } catch (error) {
        logFailure(error, "the identity provider cannot be used; check OIDC_ISSUER");
        return undefined;
      }
    },
    async finish(query, { state, nonce, codeVerifier }) {
      try {
        const configuration = await provider();
        const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: codeVerifier, idTokenExpected: true };
        const tokens = await openId.authorizationCodeGrant(configuration, new URL(query, redirectUri), checks);
        return await identityOf(configuration, tokens);
      } catch (error) {
        logFailure(error, "a single sign-on failed");
        return { kind: isUnreachable(error) ? "unreachable" : "refused" };
      }
    },
  };
}

function discover({ issuer, clientId, clientSecret }: SingleSignOnOptions): Promise<openId.Configuration> {
  const url = new URL(issuer);
  // config.ts accepts http for loopback addresses only.
  const settings = { timeout: maxAnswerSeconds, execute: url.protocol === "http:" ? [openId.allowInsecureRequests] : [] };
  const authenticate: openId.ClientAuth = (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    const method = methods.includes("client_secret_basic") ? openId.ClientSecretBasic : openId.ClientSecretPost;
    return method(clientSecret)(server, ...request);
  };
  return openId.discovery(url, clientId, clientSecret, authenticate, settings);
}

/** Many providers put the e-mail into the ID token; the others return it from the userinfo endpoint. */
async function identityOf(
  configuration: openId.Configuration,
  tokens: Awaited<ReturnType<typeof openId.authorizationCodeGrant>>,
): Promise<Identity> {
  const claims = tokens.claims();
  if (claims === undefined) return { kind: "unverified" };
  const hasEmail = claims["email"] !== undefined;
  const { email, email_verified: verified } = hasEmail
    ? claims
    : await openId.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  if (typeof email !== "string" || email === "" || verified !== true) return { kind: "unverified" };
  return { kind: "verified", email };
}

/** True when the provider did not answer; false when it refused or its answer is not valid. */
function isUnreachable(error: unknown): boolean {
  const { name, cause, code } = error as { name?: string; cause?: { name?: string }; code?: string };
  return name === "TypeError" || name === "TimeoutError" || cause?.name === "TimeoutError" || code === "OAUTH_TIMEOUT";
}
