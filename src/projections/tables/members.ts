import { bigint, index, pgTable, text, timestamp, uniqueIndex, uuid } from "drizzle-orm/pg-core";

const at = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

/** The people of the organisations. No other table has their names, and only `member_claims` has their e-mails too. */
export const members = pgTable(
  "members",
  {
    memberId: uuid("member_id").primaryKey(),
    organisationId: text("organisation_id").notNull(),
    email: text().notNull(),
    /** The e-mail in the form in which e-mails are compared. */
    emailKey: text("email_key").notNull(),
    name: text(),
    role: text({ enum: ["admin", "operator", "viewer"] }).notNull(),
    status: text({ enum: ["invited", "active", "removed"] }).notNull(),
    passwordHash: text("password_hash"),
    linkSha256: text("link_sha256"),
    linkExpiresAt: at("link_expires_at"),
    invitedAt: at("invited_at").notNull(),
    joinedAt: at("joined_at"),
    removedAt: at("removed_at"),
    /** Revision of the last event that ends the member's sessions: joined, password, role, removed, invited again. */
    credentialsRevision: bigint("credentials_revision", { mode: "bigint" }).notNull(),
    /** Revision of the member's stream. An older event never overwrites a newer one. */
    revision: bigint({ mode: "bigint" }).notNull(),
  },
  (table) => [
    uniqueIndex("members_by_email").on(table.organisationId, table.emailKey),
    index("members_by_email_alone").on(table.emailKey),
    uniqueIndex("members_by_link").on(table.linkSha256),
  ],
);
