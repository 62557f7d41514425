// The portal's pages as tests open them. Every pattern of the portal's own list has an entry here: a test compares the two.
import { randomUUID } from "node:crypto";
import { inviteMember } from "../../src/commands/members/invite.js";
import { createKey } from "../../src/commands/organisations/keys.js";
import type { Role } from "../../src/domain/roles.js";
import { addMember, type TestMember } from "./portal.js";
import type { TestService } from "./service.js";

export interface PortalStage {
  readonly service: TestService;
  readonly organisationId: string;
  readonly people: Readonly<Record<Role, TestMember>>;
  /** Of an invitation that nobody has used. */
  readonly joinToken: string;
  readonly keyId: string;
}

export interface OpenablePage {
  /** As in the portal's list of pages. */
  readonly path: string;
  /** For the screenshots' names. */
  readonly name: string;
  readonly heading: string;
  /** Whose page it is; nobody's is open to all. */
  readonly as: Role | undefined;
  readonly address: (stage: PortalStage) => string;
}

export const openablePages: readonly OpenablePage[] = [
  { path: "/portal/sign-in", name: "sign-in", heading: "Sign in", as: undefined, address: () => "/portal/sign-in" },
  {
    path: "/portal/join/{token}",
    name: "join",
    heading: "Choose a password",
    as: undefined,
    address: ({ joinToken }) => `/portal/join/${joinToken}`,
  },
  { path: "/portal", name: "overview", heading: "Overview", as: "viewer", address: () => "/portal" },
  { path: "/portal/settings/keys", name: "keys", heading: "API Keys", as: "admin", address: () => "/portal/settings/keys" },
  {
    path: "/portal/settings/keys",
    name: "keys-revoke",
    heading: "API Keys",
    as: "admin",
    address: ({ keyId }) => `/portal/settings/keys?revoke=${keyId}`,
  },
  { path: "/portal/settings/members", name: "members", heading: "Members", as: "admin", address: () => "/portal/settings/members" },
  {
    path: "/portal/settings/members",
    name: "members-remove",
    heading: "Members",
    as: "admin",
    address: ({ people }) => `/portal/settings/members?remove=${people.viewer.memberId}`,
  },
];

const origin = { by: { kind: "cli", id: "test" }, correlationId: "test" } as const;

export async function preparePortal(service: TestService): Promise<PortalStage> {
  const { id: organisationId } = await service.organisation();
  const { organisations, members } = service.portal;
  const [admin, operator, viewer] = [
    await addMember(service, organisationId, "admin"),
    await addMember(service, organisationId, "operator"),
    await addMember(service, organisationId, "viewer"),
  ];
  const email = `invited-${randomUUID()}@example.com`;
  const { token: joinToken } = await inviteMember(members, { organisationId, email, role: "viewer" }, origin);
  const { keyId } = await createKey(organisations, { organisationId, name: "Warehouse system" }, origin);
  return { service, organisationId, people: { admin, operator, viewer }, joinToken, keyId };
}
