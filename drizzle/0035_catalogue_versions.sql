CREATE TABLE "catalogue_uploads" (
	"organisation_id" text NOT NULL,
	"member_id" uuid NOT NULL,
	"upload_id" uuid NOT NULL,
	"file_name" text NOT NULL,
	"file" jsonb NOT NULL,
	"uploaded_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "catalogue_uploads_organisation_id_member_id_pk" PRIMARY KEY("organisation_id","member_id")
);
--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "applied_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "applied_by" text;--> statement-breakpoint
ALTER TABLE "catalogues" ADD COLUMN "changes" text[];