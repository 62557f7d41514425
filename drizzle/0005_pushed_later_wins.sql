-- The ledger's order: not the import that completed later wins, but the one that was pushed later.
DROP INDEX "shipments_by_update";--> statement-breakpoint
ALTER TABLE "shipments" RENAME COLUMN "position" TO "import_position";--> statement-breakpoint
UPDATE "shipments" SET "import_position" = coalesce((SELECT "position" FROM "imports" WHERE "imports"."import_id" = "shipments"."import_id"), -1);--> statement-breakpoint
-- Where imports once completed in another order than they were pushed in, an older push may stand over a newer one. The projector then goes
-- through the log again: it overwrites what is older, and leaves the rest as it is. The ledger can be read meanwhile.
DO $$
BEGIN
  IF EXISTS (SELECT FROM "shipments" WHERE "import_position" < 0) OR EXISTS (
    SELECT FROM (
      SELECT "finished_at", max("finished_at") OVER (PARTITION BY "organisation_id" ORDER BY "position" ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS "latest_before"
        FROM "imports" WHERE "kind" = 'shipments' AND "status" = 'completed'
    ) AS "completed" WHERE "latest_before" >= "finished_at"
  ) THEN
    DELETE FROM "shipment_lines";
    DELETE FROM "checkpoints" WHERE "projection" = 'shipments';
  END IF;
END
$$;
