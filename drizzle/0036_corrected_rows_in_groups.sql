ALTER TABLE "rejection_groups" ADD COLUMN "corrected" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "rejection_groups_corrected" ON "rejection_groups" USING btree ("organisation_id","kind","import_position","reason_key") WHERE "rejection_groups"."corrected" > 0;--> statement-breakpoint
-- What was projected before these rows were counted.
UPDATE rejection_groups g SET corrected = c.rows
  FROM (SELECT s.import_id,
               md5(coalesce(lead.error, CASE WHEN starts_with(r.error, 'Rejected with its shipment: ') THEN substr(r.error, 29) ELSE r.error END)) AS reason_key,
               count(*) AS rows
          FROM (SELECT import_id, "row" FROM row_corrections WHERE state = 'corrected'
                UNION
                SELECT f.import_id, f."row" FROM finished_rows f
                 WHERE f.state = 'corrected'
                   AND NOT EXISTS (SELECT FROM row_corrections o WHERE o.import_id = f.import_id AND o."row" = f."row")) AS s
          JOIN imports i ON i.import_id = s.import_id
          JOIN rejections r ON r.import_position = i.position AND r."row" = s."row"
          LEFT JOIN rejections lead ON lead.import_position = i.position AND lead."row" = r.lead
         GROUP BY 1, 2) AS c
 WHERE g.import_id = c.import_id AND g.reason_key = c.reason_key;
