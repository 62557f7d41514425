-- A function's statement is planned once per session, and that without a named statement, which belongs to one session of the server.
-- Keys are never cached: a revoke holds from its commit on, at every process. Unknown and revoked keys count nowhere.
-- The stored start is rounded to the millisecond and may lie ahead of now, hence the bound of 60 seconds.
-- The row lock of the upsert hands every request its own number, whichever process asks; sorted, so that two look-ups cannot deadlock.
CREATE FUNCTION look_up_keys(hashes text[], counts integer[])
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
  )
  SELECT known.sha256, known.key_id, known.prefix, known.organisation_id, known.catalogue_version, counted.used, now(),
    least(60, greatest(1, ceil(extract(epoch FROM counted.window_start + interval '1 minute' - now()))))::int
  FROM known JOIN counted ON counted.key_id = known.key_id;
END
$$;
