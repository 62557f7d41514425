CREATE TABLE "kept_files" (
	"file_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"format" text NOT NULL,
	"size" bigint NOT NULL,
	"sha256" text NOT NULL,
	"source_details" text NOT NULL,
	"object_key" text NOT NULL,
	"columns" jsonb NOT NULL,
	"values" jsonb NOT NULL,
	"import_id" uuid,
	"kept_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "column_choices" (
	"organisation_id" text NOT NULL,
	"kind" text NOT NULL,
	"headings_key" text NOT NULL,
	"choice" jsonb NOT NULL,
	"chosen_by" text NOT NULL,
	"chosen_at" timestamp (3) with time zone NOT NULL,
	"revision" bigint NOT NULL,
	CONSTRAINT "column_choices_organisation_id_kind_headings_key_pk" PRIMARY KEY("organisation_id","kind","headings_key")
);
--> statement-breakpoint
CREATE INDEX "kept_files_by_organisation" ON "kept_files" USING btree ("organisation_id","kept_at");--> statement-breakpoint
CREATE INDEX "column_choices_by_revision" ON "column_choices" USING btree ("organisation_id","kind","revision");