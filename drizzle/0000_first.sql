CREATE TABLE "checkpoints" (
	"projection" text PRIMARY KEY NOT NULL,
	"commit" bigint NOT NULL,
	"prepare" bigint NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "imports" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"organisation_id" text NOT NULL,
	"kind" text NOT NULL,
	"source" text NOT NULL,
	"source_details" text NOT NULL,
	"status" text NOT NULL,
	"progress" integer NOT NULL,
	"received" integer NOT NULL,
	"processed" integer NOT NULL,
	"failed" integer NOT NULL,
	"file_key" text NOT NULL,
	"file_name" text NOT NULL,
	"file_size" bigint NOT NULL,
	"file_sha256" text NOT NULL,
	"key_prefix" text NOT NULL,
	"notes" jsonb NOT NULL,
	"report_key" text,
	"error_message" text,
	"submitted_at" timestamp (3) with time zone NOT NULL,
	"started_at" timestamp (3) with time zone,
	"finished_at" timestamp (3) with time zone,
	"revision" bigint NOT NULL,
	CONSTRAINT "imports_position_unique" UNIQUE("position")
);
--> statement-breakpoint
CREATE TABLE "rejections" (
	"import_position" bigint NOT NULL,
	"row" integer NOT NULL,
	"handle" text,
	"error" text NOT NULL,
	"data" jsonb NOT NULL,
	CONSTRAINT "rejections_import_position_row_pk" PRIMARY KEY("import_position","row")
);
--> statement-breakpoint
CREATE TABLE "activities" (
	"import_position" bigint NOT NULL,
	"row" integer NOT NULL,
	"warehouse_code" text NOT NULL,
	"charge_code" text NOT NULL,
	"quantity" numeric NOT NULL,
	"activity_timestamp" text NOT NULL,
	"customer_id" text,
	"reference" text,
	"status" text,
	CONSTRAINT "activities_import_position_row_pk" PRIMARY KEY("import_position","row")
);
--> statement-breakpoint
CREATE TABLE "shipment_lines" (
	"import_position" bigint NOT NULL,
	"row" integer NOT NULL,
	"shipment" integer NOT NULL,
	"values" jsonb NOT NULL,
	CONSTRAINT "shipment_lines_import_position_row_pk" PRIMARY KEY("import_position","row")
);
--> statement-breakpoint
CREATE TABLE "shipments" (
	"organisation_id" text NOT NULL,
	"shipment_id" text NOT NULL,
	"fields" jsonb NOT NULL,
	"items" jsonb NOT NULL,
	"source_details" text NOT NULL,
	"import_id" uuid NOT NULL,
	"updated_at" timestamp (3) with time zone NOT NULL,
	"position" bigint NOT NULL,
	CONSTRAINT "shipments_organisation_id_shipment_id_pk" PRIMARY KEY("organisation_id","shipment_id")
);
--> statement-breakpoint
CREATE TABLE "import_queue" (
	"import_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"position" bigint,
	"reserved_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"cancel_requested" boolean DEFAULT false NOT NULL,
	"progress" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"not_before" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "organisation_turns" (
	"organisation_id" text PRIMARY KEY NOT NULL,
	"import_id" uuid,
	"worker" text,
	"expires_at" timestamp (3) with time zone,
	"served_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE UNLOGGED TABLE "rate_windows" (
	"key_id" text PRIMARY KEY NOT NULL,
	"window_start" timestamp (3) with time zone NOT NULL,
	"used" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"sha256" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"organisation_id" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"created_at" timestamp with time zone NOT NULL,
	"revoked_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "catalogues" (
	"organisation_id" text NOT NULL,
	"version" integer NOT NULL,
	"file" jsonb NOT NULL,
	CONSTRAINT "catalogues_organisation_id_version_pk" PRIMARY KEY("organisation_id","version")
);
--> statement-breakpoint
CREATE TABLE "locality_files" (
	"country" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"sha256" text NOT NULL,
	"localities" integer NOT NULL,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "organisations" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"timezone" text NOT NULL,
	"catalogue_version" integer NOT NULL,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "imports_by_organisation" ON "imports" USING btree ("organisation_id","kind","position");--> statement-breakpoint
CREATE INDEX "imports_unfinished" ON "imports" USING btree ("status","organisation_id");--> statement-breakpoint
CREATE INDEX "shipments_by_update" ON "shipments" USING btree ("organisation_id","position");--> statement-breakpoint
CREATE INDEX "import_queue_by_organisation" ON "import_queue" USING btree ("organisation_id","position");