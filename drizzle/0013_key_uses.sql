CREATE TABLE "key_uses" (
	"key_id" text PRIMARY KEY NOT NULL,
	"last_used_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
-- As before, and a key's last use is noted where a minute begins: nothing but this look-up has been counted in it.
CREATE OR REPLACE FUNCTION look_up_keys(hashes text[], counts integer[])
RETURNS TABLE (sha256 text, key_id text, prefix text, organisation_id text, catalogue_version integer, used integer, "now" timestamptz, seconds_left integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH asked AS (
    SELECT * FROM unnest(hashes, counts) AS asked (sha256, requests)
  ), known AS (
    SELECT k.sha256, k.key_id, k.prefix, k.organisation_id, o.catalogue_version, asked.requests
    FROM asked
    JOIN api_keys k ON k.sha256 = asked.sha256 AND k.revoked_at IS NULL
    JOIN organisations o ON o.id = k.organisation_id
  ), counted AS (
    INSERT INTO rate_windows AS w (key_id, window_start, used)
    SELECT known.key_id, now(), known.requests FROM known ORDER BY known.key_id
    ON CONFLICT (key_id) DO UPDATE SET
      used = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.used ELSE w.used + excluded.used END,
      window_start = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.window_start ELSE w.window_start END
    RETURNING w.key_id, w.used, w.window_start
  ), noted AS (
    INSERT INTO key_uses (key_id, last_used_at)
    SELECT known.key_id, now() FROM known JOIN counted ON counted.key_id = known.key_id AND counted.used = known.requests
    ON CONFLICT (key_id) DO UPDATE SET last_used_at = excluded.last_used_at
  )
  SELECT known.sha256, known.key_id, known.prefix, known.organisation_id, known.catalogue_version, counted.used, now(),
    least(60, greatest(1, ceil(extract(epoch FROM counted.window_start + interval '1 minute' - now()))))::int
  FROM known JOIN counted ON counted.key_id = known.key_id;
END
$$;
