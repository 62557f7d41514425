// What the application needs to authenticate a person: passwords and the identity provider.
/** Hashing is slow on purpose and runs off the event loop. Throws TooBusy when too many calls wait already. */
export interface Passwords {
  hash(password: string): Promise<string>;
  /** Without a hash it answers false, but takes as long as with one, so that the time does not tell whether there is a hash. */
  matches(password: string, hash: string | undefined): Promise<boolean>;
  /** Whether it is a common password. The list of those is in lower case, so the argument must be too. */
  isCommon(lowerCase: string): boolean;
}

/** The secrets of one sign-on. `finish` compares them with what the browser brings back from the identity provider. */
export interface SingleSignOnChecks {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

export type Identity =
  | { readonly kind: "verified"; readonly email: string }
  /** `unverified`: the provider does not vouch for the e-mail. `refused`: the provider said no, or its answer does not fit the request. */
  | { readonly kind: "unverified" | "refused" | "unreachable" };

/** OpenID Connect: the authorization code flow with PKCE. */
export interface SingleSignOn {
  /** The URL to send the browser to; undefined when the provider cannot be used. */
  begin(): Promise<{ readonly url: string; readonly checks: SingleSignOnChecks } | undefined>;
  /** `query`: the query string with which the browser came back, from the ? on. */
  finish(query: string, checks: SingleSignOnChecks): Promise<Identity>;
}
