CREATE TABLE "refused_uploads" (
	"key" text PRIMARY KEY NOT NULL,
	"import_id" uuid NOT NULL,
	"log_id" uuid NOT NULL,
	"refused_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
