CREATE TABLE "late_reports" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"claimed_until" timestamp (3) with time zone NOT NULL,
	"report_key" text
);
