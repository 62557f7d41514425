CREATE TABLE "webhook_attempts" (
	"delivery_id" bigint NOT NULL,
	"attempt" integer NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"milliseconds" integer NOT NULL,
	"status" integer,
	"reason" text,
	"answer" text,
	CONSTRAINT "webhook_attempts_delivery_id_attempt_pk" PRIMARY KEY("delivery_id","attempt")
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "webhook_deliveries_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"endpoint_id" uuid NOT NULL,
	"organisation_id" text NOT NULL,
	"event_id" uuid NOT NULL,
	"type" text NOT NULL,
	"import_id" uuid,
	"revision" bigint,
	"position" bigint,
	"occurred_at" timestamp (3) with time zone NOT NULL,
	"status" text NOT NULL,
	"reason" text,
	"attempts" integer DEFAULT 0 NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"due_at" timestamp (3) with time zone NOT NULL,
	"claim" text,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"settled_at" timestamp (3) with time zone,
	CONSTRAINT "webhook_deliveries_once" UNIQUE("endpoint_id","event_id")
);
--> statement-breakpoint
CREATE TABLE "webhook_endpoints" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"url" text NOT NULL,
	"events" text[] NOT NULL,
	"generation" integer NOT NULL,
	"rotated_at" timestamp (3) with time zone,
	"added_at" timestamp (3) with time zone NOT NULL,
	"added_position" bigint NOT NULL,
	"paused_at" timestamp (3) with time zone,
	"paused_because" text,
	"removed_at" timestamp (3) with time zone,
	"removed_because" text
);
--> statement-breakpoint
CREATE TABLE "webhook_health" (
	"endpoint_id" uuid PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"failing_since" timestamp (3) with time zone,
	"retry_at" timestamp (3) with time zone,
	"succeeded_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("endpoint_id","due_at") WHERE "webhook_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_in_order" ON "webhook_deliveries" USING btree ("endpoint_id","import_id","position") WHERE "webhook_deliveries"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_claimed" ON "webhook_deliveries" USING btree ("endpoint_id") WHERE "webhook_deliveries"."claim" is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_pings" ON "webhook_deliveries" USING btree ("due_at") WHERE "webhook_deliveries"."status" = 'waiting' and "webhook_deliveries"."type" = 'ping';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_settled" ON "webhook_deliveries" USING btree ("settled_at") WHERE "webhook_deliveries"."status" <> 'waiting';--> statement-breakpoint
CREATE INDEX "webhook_deliveries_newest" ON "webhook_deliveries" USING btree ("endpoint_id","id");--> statement-breakpoint
CREATE INDEX "webhook_deliveries_by_status" ON "webhook_deliveries" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "webhook_endpoints_by_organisation" ON "webhook_endpoints" USING btree ("organisation_id");