-- One round trip for "is there room, then take a place": each statement in here sees what the lock's last holder committed.
CREATE FUNCTION reserve_import_place(organisation text, import uuid, depth integer) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('import queue ' || organisation, 0));
  IF EXISTS (SELECT FROM import_queue WHERE import_id = import) THEN
    RETURN true;
  END IF;
  IF (SELECT count(*) FROM import_queue WHERE organisation_id = organisation) >= depth THEN
    RETURN false;
  END IF;
  INSERT INTO import_queue (import_id, organisation_id) VALUES (import, organisation);
  RETURN true;
END
$$;
