CREATE TABLE "webhook_backlogs" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"again_until" bigint DEFAULT -1 NOT NULL,
	"next_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "webhook_events" (
	"organisation_id" text NOT NULL,
	"position" bigint NOT NULL,
	"event_id" uuid NOT NULL,
	"type" text NOT NULL,
	"import_id" uuid NOT NULL,
	"revision" bigint NOT NULL,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "webhook_events_organisation_id_position_event_id_pk" PRIMARY KEY("organisation_id","position","event_id")
);
--> statement-breakpoint
CREATE INDEX "webhook_backlogs_behind" ON "webhook_backlogs" USING btree ("next_at");--> statement-breakpoint
CREATE INDEX "webhook_events_by_age" ON "webhook_events" USING btree ("created_at");