CREATE TABLE "row_corrections" (
	"import_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"correction_id" uuid NOT NULL,
	"state" text NOT NULL,
	CONSTRAINT "row_corrections_import_id_row_correction_id_pk" PRIMARY KEY("import_id","row","correction_id")
);
--> statement-breakpoint
CREATE TABLE "settled_rows" (
	"import_id" uuid NOT NULL,
	"row" integer NOT NULL,
	"state" text NOT NULL,
	"other_id" uuid,
	"note" text,
	"settled_by" text NOT NULL,
	CONSTRAINT "settled_rows_import_id_row_pk" PRIMARY KEY("import_id","row")
);
--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "corrects" jsonb;--> statement-breakpoint
CREATE INDEX "row_corrections_by_correction" ON "row_corrections" USING btree ("correction_id");