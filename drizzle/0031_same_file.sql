DROP INDEX "imports_by_file";--> statement-breakpoint
ALTER TABLE "ended_imports" ADD COLUMN "kind" text;--> statement-breakpoint
ALTER TABLE "ended_imports" ADD COLUMN "file_sha256" text;--> statement-breakpoint
ALTER TABLE "import_queue" ADD COLUMN "kind" text;--> statement-breakpoint
CREATE INDEX "imports_by_file" ON "imports" USING btree ("organisation_id","kind","file_sha256","position");--> statement-breakpoint
DROP FUNCTION reserve_import_place(text, uuid, integer);--> statement-breakpoint
CREATE FUNCTION reserve_import_place(organisation text, import uuid, depth integer, import_kind text, sha256 text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('import queue ' || organisation, 0));
  IF EXISTS (SELECT FROM import_queue WHERE import_id = import) THEN
    RETURN true;
  END IF;
  IF (SELECT count(*) FROM import_queue WHERE organisation_id = organisation) >= depth THEN
    RETURN false;
  END IF;
  -- Later than every place that is there: not now(), which is when this began to wait for the lock.
  INSERT INTO import_queue (import_id, organisation_id, reserved_at, kind, file_sha256)
  SELECT import, organisation, greatest(clock_timestamp(), max(reserved_at) + interval '1 millisecond'), import_kind, sha256
    FROM import_queue WHERE organisation_id = organisation;
  RETURN true;
END
$$;
