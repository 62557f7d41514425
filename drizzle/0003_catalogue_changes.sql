CREATE TABLE "catalogue_changes" (
	"organisation_id" text NOT NULL,
	"revision" bigint NOT NULL,
	"type" text NOT NULL,
	"data" jsonb NOT NULL,
	CONSTRAINT "catalogue_changes_organisation_id_revision_pk" PRIMARY KEY("organisation_id","revision")
);
