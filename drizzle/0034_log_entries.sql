CREATE TABLE "log_entries" (
	"event_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"position" bigint NOT NULL,
	"actor" text NOT NULL,
	"what" text NOT NULL,
	"type" text NOT NULL,
	"about_kind" text NOT NULL,
	"about_id" text NOT NULL,
	"details" jsonb NOT NULL,
	"stream" text NOT NULL,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "log_entries_by_time" ON "log_entries" USING btree ("organisation_id","at","position","revision");--> statement-breakpoint
CREATE INDEX "log_entries_by_actor" ON "log_entries" USING btree ("organisation_id","actor","at","position","revision");--> statement-breakpoint
CREATE INDEX "log_entries_by_what" ON "log_entries" USING btree ("organisation_id","what","at","position","revision");--> statement-breakpoint
CREATE INDEX "log_entries_by_actor_and_what" ON "log_entries" USING btree ("organisation_id","actor","what","at","position","revision");--> statement-breakpoint
CREATE INDEX "log_entries_of_sign_ins" ON "log_entries" USING btree ("at") WHERE what = 'sign-ins';--> statement-breakpoint
CREATE INDEX "log_entries_by_stream" ON "log_entries" USING btree ("stream");