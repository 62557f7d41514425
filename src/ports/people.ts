// What the application needs to know a person: passwords and the identity provider.
/** Slow on purpose, and off the event loop. Throws TooBusy when too many wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash the same work is done, and the answer is no. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether it is in the list of common passwords. Takes lower case. */
  isCommon(password: string): boolean;
}

/** What a browser has to bring back from the identity provider, and what we compare it with. */
export interface SingleSignOnChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export type Identity =
  | { readonly kind: "verified"; readonly email: string }
  /** `unverified`: the provider does not vouch for the e-mail. `refused`: by the provider, or what it sent does not fit what was asked. */
  | { readonly kind: "unverified" | "refused" | "unreachable" };

/** OpenID Connect: the authorization code flow with PKCE. */
export interface SingleSignOn {
  /** Where to send the browser; undefined where the provider does not answer. */
  begin(): Promise<{ readonly url: string; readonly checks: SingleSignOnChecks } | undefined>;
  /** `query`: what the browser came back with, from the ? on. */
  finish(query: string, checks: SingleSignOnChecks): Promise<Identity>;
}
