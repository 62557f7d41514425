CREATE TABLE "withdrawn_imports" (
	"import_id" uuid PRIMARY KEY NOT NULL
);
--> statement-breakpoint
CREATE TABLE "activity_changes" (
	"organisation_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"warehouse_code" text NOT NULL,
	"charge_code" text NOT NULL,
	"half_hour" timestamp (3) with time zone NOT NULL,
	"import_position" bigint NOT NULL,
	"changed_position" bigint NOT NULL,
	"changed_at" timestamp (3) with time zone NOT NULL,
	"by_import" bigint,
	"quantity" numeric NOT NULL,
	"row_count" integer NOT NULL,
	"row_numbers" integer[] NOT NULL,
	CONSTRAINT "activity_changes_pkey" PRIMARY KEY("organisation_id","customer_id","warehouse_code","charge_code","half_hour","import_position","changed_position")
);
--> statement-breakpoint
CREATE TABLE "activity_corrections" (
	"import_position" bigint NOT NULL,
	"row" integer NOT NULL,
	"first_position" bigint NOT NULL,
	"first_row" integer NOT NULL,
	CONSTRAINT "activity_corrections_pkey" PRIMARY KEY("import_position","row")
);
--> statement-breakpoint
CREATE TABLE "hidden_shipments" (
	"organisation_id" text NOT NULL,
	"shipment_id" text NOT NULL,
	"import_position" bigint NOT NULL,
	"fields" jsonb NOT NULL,
	"items" jsonb NOT NULL,
	"source_details" text NOT NULL,
	"import_id" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "hidden_shipments_pkey" PRIMARY KEY("organisation_id","shipment_id","import_position")
);
--> statement-breakpoint
CREATE TABLE "uncounted_activities" (
	"import_position" bigint NOT NULL,
	"row" integer NOT NULL,
	"reversed_position" bigint,
	"replaced_by_position" bigint,
	"replaced_by_row" integer,
	CONSTRAINT "uncounted_activities_pkey" PRIMARY KEY("import_position","row")
);
--> statement-breakpoint
CREATE TABLE "uncounted_imports" (
	"import_position" bigint PRIMARY KEY NOT NULL,
	"reversed_position" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "reversals" (
	"reversal_id" uuid PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"import_id" uuid NOT NULL,
	"import_position" bigint NOT NULL,
	"organisation_id" text NOT NULL,
	"is_all" boolean NOT NULL,
	"rows" "int4multirange",
	"shipments" "int4multirange",
	"count" integer NOT NULL,
	"reason" text NOT NULL,
	"reversed_by" text NOT NULL,
	"included_in" uuid,
	"at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reversals_position_unique" UNIQUE("position")
);
--> statement-breakpoint
DROP INDEX "row_corrections_by_correction";--> statement-breakpoint
ALTER TABLE "row_corrections" ADD COLUMN "correction_row" integer;--> statement-breakpoint
UPDATE "row_corrections" c SET "correction_row" = coalesce((
  SELECT corrected.number FROM "imports" i, jsonb_array_elements_text(i.corrects -> 'rows') WITH ORDINALITY AS corrected ("row", number)
   WHERE i.import_id = c.correction_id AND corrected."row"::integer = c."row"), 0);--> statement-breakpoint
ALTER TABLE "row_corrections" ALTER COLUMN "correction_row" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "row_corrections" ADD COLUMN "reversed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "shape" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "same_file_as" uuid;--> statement-breakpoint
ALTER TABLE "import_queue" ADD COLUMN "file_sha256" text;--> statement-breakpoint
CREATE INDEX "activity_changes_by_time" ON "activity_changes" USING btree ("organisation_id","changed_at");--> statement-breakpoint
CREATE INDEX "activity_changes_by_import" ON "activity_changes" USING btree ("import_position");--> statement-breakpoint
CREATE INDEX "activity_corrections_by_first" ON "activity_corrections" USING btree ("first_position","first_row");--> statement-breakpoint
CREATE INDEX "hidden_shipments_by_import" ON "hidden_shipments" USING btree ("import_position","shipment_id");--> statement-breakpoint
CREATE INDEX "reversals_by_import" ON "reversals" USING btree ("import_id","position");--> statement-breakpoint
CREATE INDEX "reversals_by_import_position" ON "reversals" USING btree ("import_position");--> statement-breakpoint
CREATE INDEX "reversals_by_organisation" ON "reversals" USING btree ("organisation_id","position");--> statement-breakpoint
CREATE INDEX "imports_by_file" ON "imports" USING btree ("organisation_id","kind","file_sha256");--> statement-breakpoint
CREATE INDEX "row_corrections_by_correction" ON "row_corrections" USING btree ("correction_id","correction_row");