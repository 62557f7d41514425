CREATE TABLE "rejection_groups" (
	"import_id" uuid NOT NULL,
	"reason_key" text NOT NULL,
	"organisation_id" text NOT NULL,
	"kind" text NOT NULL,
	"import_position" bigint NOT NULL,
	"reason" text NOT NULL,
	"rows" integer NOT NULL,
	"open" integer NOT NULL,
	"submitted" integer NOT NULL,
	"dismissed" integer NOT NULL,
	CONSTRAINT "rejection_groups_import_id_reason_key_pk" PRIMARY KEY("import_id","reason_key")
);
--> statement-breakpoint
CREATE INDEX "rejection_groups_open" ON "rejection_groups" USING btree ("organisation_id","kind","import_position","reason_key") WHERE "rejection_groups"."open" > 0;--> statement-breakpoint
CREATE INDEX "rejection_groups_submitted" ON "rejection_groups" USING btree ("organisation_id","kind","import_position","reason_key") WHERE "rejection_groups"."submitted" > 0;--> statement-breakpoint
CREATE INDEX "rejection_groups_dismissed" ON "rejection_groups" USING btree ("organisation_id","kind","import_position","reason_key") WHERE "rejection_groups"."dismissed" > 0;--> statement-breakpoint
CREATE INDEX "rejections_by_handle" ON "rejections" USING btree (md5("handle"),"import_position");--> statement-breakpoint
-- What was projected before these counts were kept.
INSERT INTO rejection_groups (import_id, reason_key, organisation_id, kind, import_position, reason, rows, open, submitted, dismissed)
SELECT i.import_id, md5(e.reason), i.organisation_id, i.kind, i.position, e.reason, count(*), count(*) FILTER (WHERE e.state = 'open'),
       count(*) FILTER (WHERE e.state = 'submitted'), count(*) FILTER (WHERE e.state = 'dismissed')
  FROM imports i
  CROSS JOIN LATERAL (
    SELECT CASE WHEN starts_with(r.error, 'Rejected with its shipment: ') THEN substr(r.error, 29) ELSE r.error END AS reason,
           coalesce(
             (SELECT CASE WHEN bool_or(c.state = 'corrected') THEN 'corrected' WHEN count(*) > 0 THEN 'submitted' END
                FROM row_corrections c WHERE c.import_id = i.import_id AND c."row" = r."row"),
             (SELECT d.state FROM settled_rows d WHERE d.import_id = i.import_id AND d."row" = r."row"),
             'open') AS state
      FROM rejections r WHERE r.import_position = i.position) AS e
 WHERE i.status = 'completed' AND i.failed > 0
 GROUP BY i.import_id, e.reason;
