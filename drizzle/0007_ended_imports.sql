CREATE TABLE "ended_imports" (
	"number" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "ended_imports_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"import_id" uuid NOT NULL,
	"organisation_id" text NOT NULL,
	"position" bigint NOT NULL,
	"ended_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "ended_imports_import_id_unique" UNIQUE("import_id")
);
--> statement-breakpoint
ALTER TABLE "import_queue" ADD COLUMN "started" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "ended_imports_by_organisation" ON "ended_imports" USING btree ("organisation_id");