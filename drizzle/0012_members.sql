CREATE TABLE "members" (
	"member_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"email" text NOT NULL,
	"email_key" text NOT NULL,
	"name" text,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"password_hash" text,
	"link_sha256" text,
	"link_expires_at" timestamp (3) with time zone,
	"invited_at" timestamp (3) with time zone NOT NULL,
	"joined_at" timestamp (3) with time zone,
	"removed_at" timestamp (3) with time zone,
	"credentials_revision" bigint NOT NULL,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "member_claims" (
	"organisation_id" text NOT NULL,
	"email_key" text NOT NULL,
	"member_id" uuid NOT NULL,
	CONSTRAINT "member_claims_organisation_id_email_key_pk" PRIMARY KEY("organisation_id","email_key")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_sha256" text PRIMARY KEY NOT NULL,
	"member_id" uuid NOT NULL,
	"credentials_revision" bigint NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_seen_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sign_in_failures" (
	"key" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_states" (
	"sha256" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "members_by_email" ON "members" USING btree ("organisation_id","email_key");--> statement-breakpoint
CREATE INDEX "members_by_email_alone" ON "members" USING btree ("email_key");--> statement-breakpoint
CREATE UNIQUE INDEX "members_by_link" ON "members" USING btree ("link_sha256");--> statement-breakpoint
CREATE INDEX "sessions_by_member" ON "sessions" USING btree ("member_id");--> statement-breakpoint
CREATE INDEX "sessions_by_last_seen" ON "sessions" USING btree ("last_seen_at");--> statement-breakpoint
CREATE INDEX "sign_in_failures_by_time" ON "sign_in_failures" USING btree ("last_at");--> statement-breakpoint
-- No member is older than this table: the projection stands where the others do, and need not read the log from its beginning.
INSERT INTO "checkpoints" ("projection", "commit", "prepare", "updated_at", "log_id", "event_id", "event_stream", "event_revision", "event_commit", "event_prepare")
SELECT 'members', "commit", "prepare", "updated_at", "log_id", "event_id", "event_stream", "event_revision", "event_commit", "event_prepare"
FROM "checkpoints" WHERE "projection" = 'organisations' ON CONFLICT DO NOTHING;
