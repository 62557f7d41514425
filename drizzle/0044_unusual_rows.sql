CREATE TABLE "activity_codes" (
	"organisation_id" text NOT NULL,
	"field" text NOT NULL,
	"code" text NOT NULL,
	"day" integer NOT NULL,
	"row_count" integer NOT NULL,
	"largest" numeric,
	CONSTRAINT "activity_codes_pkey" PRIMARY KEY("organisation_id","field","code","day")
);
--> statement-breakpoint
CREATE TABLE "activity_contents" (
	"organisation_id" text NOT NULL,
	"day" integer NOT NULL,
	"import_position" bigint NOT NULL,
	"block" integer NOT NULL,
	"lows" "bytea" NOT NULL,
	"rest" "bytea" NOT NULL,
	CONSTRAINT "activity_contents_pkey" PRIMARY KEY("organisation_id","day","import_position","block")
);
--> statement-breakpoint
ALTER TABLE "activity_totals" ADD COLUMN "largest" numeric;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "unusual" jsonb;--> statement-breakpoint
CREATE INDEX "activity_contents_by_import" ON "activity_contents" USING btree ("import_position");