CREATE TABLE "activity_groups" (
	"organisation_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"warehouse_code" text NOT NULL,
	"charge_code" text NOT NULL,
	CONSTRAINT "activity_groups_pkey" PRIMARY KEY("organisation_id","customer_id","warehouse_code","charge_code")
);
--> statement-breakpoint
CREATE TABLE "activity_totals" (
	"organisation_id" text NOT NULL,
	"customer_id" text NOT NULL,
	"warehouse_code" text NOT NULL,
	"charge_code" text NOT NULL,
	"half_hour" timestamp (3) with time zone NOT NULL,
	"import_position" bigint NOT NULL,
	"quantity" numeric NOT NULL,
	"row_count" integer NOT NULL,
	"row_numbers" integer[] NOT NULL,
	CONSTRAINT "activity_totals_pkey" PRIMARY KEY("organisation_id","customer_id","warehouse_code","charge_code","half_hour","import_position")
);
--> statement-breakpoint
CREATE INDEX "activity_totals_by_import" ON "activity_totals" USING btree ("import_position");--> statement-breakpoint
INSERT INTO "activity_totals" ("organisation_id", "customer_id", "warehouse_code", "charge_code", "half_hour", "import_position", "quantity", "row_count", "row_numbers")
SELECT "organisation_id", "customer_id", "warehouse_code", "charge_code", "half_hour", "import_position", "quantity", "row_count", array(SELECT n FROM unnest("row_numbers") AS n ORDER BY n)
FROM (
	SELECT "import_position", "customer_id", "warehouse_code", "charge_code", "half_hour", sum("quantity") AS "quantity", count(*)::integer AS "row_count", array_agg("row") AS "row_numbers"
	FROM (
		SELECT "import_position", "row", left(coalesce("customer_id", ''), 200) AS "customer_id", left("warehouse_code", 200) AS "warehouse_code", left("charge_code", 200) AS "charge_code", "quantity",
			date_bin('30 minutes', CASE WHEN pg_input_is_valid("cut", 'timestamptz') THEN "cut"::timestamptz END, timestamptz '2000-01-01 00:00:00Z') AS "half_hour"
		FROM "activities", LATERAL (SELECT CASE WHEN length("activity_timestamp") > 25 OR "activity_timestamp" LIKE '%,%'
			THEN regexp_replace(replace("activity_timestamp", ',', '.'), '(\.\d{3})\d+', '\1') ELSE "activity_timestamp" END AS "cut") AS "written"
	) AS "timed"
	WHERE "half_hour" IS NOT NULL
	GROUP BY "import_position", "customer_id", "warehouse_code", "charge_code", "half_hour"
) AS "sums"
JOIN (SELECT "position" AS "import_position", "organisation_id" FROM "imports" WHERE "kind" = 'activities' AND "status" = 'completed') AS "completed" USING ("import_position");
--> statement-breakpoint
INSERT INTO "activity_groups" SELECT DISTINCT "organisation_id", "customer_id", "warehouse_code", "charge_code" FROM "activity_totals";
