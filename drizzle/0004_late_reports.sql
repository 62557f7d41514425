CREATE TABLE "late_reports" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"attempts" integer NOT NULL,
	"report_key" text
);
--> statement-breakpoint
CREATE INDEX "imports_ended_early" ON "imports" USING btree ("finished_at") WHERE "imports"."status" in ('cancelled', 'failed') and "imports"."failed" > 0;