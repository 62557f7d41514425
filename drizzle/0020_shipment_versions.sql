CREATE TABLE "shipment_imports" (
	"import_position" bigint PRIMARY KEY NOT NULL,
	"import_id" uuid NOT NULL,
	"organisation_id" text NOT NULL,
	"completed_position" bigint NOT NULL,
	"completed_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "shipment_versions" (
	"import_position" bigint NOT NULL,
	"shipment" integer NOT NULL,
	"organisation_id" text NOT NULL,
	"shipment_id" text NOT NULL,
	"revisions" integer[] NOT NULL,
	CONSTRAINT "shipment_versions_pkey" PRIMARY KEY("import_position","shipment")
);
--> statement-breakpoint
CREATE INDEX "shipment_versions_by_shipment" ON "shipment_versions" USING btree ("organisation_id","shipment_id","import_position");