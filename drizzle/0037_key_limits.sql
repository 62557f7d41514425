ALTER TABLE "key_uses" ADD COLUMN "sha256" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "key_uses" DROP CONSTRAINT "key_uses_pkey";--> statement-breakpoint
ALTER TABLE "key_uses" ADD CONSTRAINT "key_uses_pkey" PRIMARY KEY("key_id","sha256");--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "scopes" text[];--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "expires_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "rotated_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "valid_until" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "api_keys_by_organisation" ON "api_keys" USING btree ("organisation_id","key_id");--> statement-breakpoint
-- What look_up_keys did, and: ends hold, two secrets of a key share its window, scopes are returned, the last use is noted for each secret.
CREATE FUNCTION look_up_secrets(hashes text[], counts integer[])
RETURNS TABLE (sha256 text, key_id text, prefix text, organisation_id text, catalogue_version integer, used integer, "now" timestamptz, seconds_left integer, scopes text[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY WITH asked AS (
    SELECT * FROM unnest(hashes, counts) AS asked (sha256, requests)
  ), known AS (
    SELECT k.sha256, k.key_id, k.prefix, k.scopes, k.organisation_id, o.catalogue_version, asked.requests,
      sum(asked.requests) OVER (PARTITION BY k.key_id)::int AS of_key,
      sum(asked.requests) OVER (PARTITION BY k.key_id ORDER BY k.sha256)::int AS so_far
    FROM asked
    JOIN api_keys k ON k.sha256 = asked.sha256 AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > now()) AND (k.valid_until IS NULL OR k.valid_until > now())
    JOIN organisations o ON o.id = k.organisation_id
  ), counted AS (
    INSERT INTO rate_windows AS w (key_id, window_start, used)
    SELECT known.key_id, now(), sum(known.requests)::int FROM known GROUP BY known.key_id ORDER BY known.key_id
    ON CONFLICT (key_id) DO UPDATE SET
      used = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.used ELSE w.used + excluded.used END,
      window_start = CASE WHEN w.window_start <= now() - interval '1 minute' THEN excluded.window_start ELSE w.window_start END
    RETURNING w.key_id, w.used, w.window_start
  ), noted AS (
    INSERT INTO key_uses (key_id, sha256, last_used_at)
    SELECT known.key_id, known.sha256, now() FROM known JOIN counted ON counted.key_id = known.key_id
    WHERE NOT EXISTS (
      SELECT FROM key_uses u WHERE u.key_id = known.key_id AND u.sha256 = known.sha256 AND u.last_used_at > now() - interval '1 minute')
    ORDER BY known.key_id, known.sha256
    ON CONFLICT (key_id, sha256) DO UPDATE SET last_used_at = excluded.last_used_at
  )
  SELECT known.sha256, known.key_id, known.prefix, known.organisation_id, known.catalogue_version,
    counted.used - known.of_key + known.so_far, now(),
    least(60, greatest(1, ceil(extract(epoch FROM counted.window_start + interval '1 minute' - now()))))::int, known.scopes
  FROM known JOIN counted ON counted.key_id = known.key_id;
END
$$;--> statement-breakpoint
-- Processes of the version before ask this one. They know no scopes, so for them a key that has some does not exist.
CREATE OR REPLACE FUNCTION look_up_keys(hashes text[], counts integer[])
RETURNS TABLE (sha256 text, key_id text, prefix text, organisation_id text, catalogue_version integer, used integer, "now" timestamptz, seconds_left integer)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT s.sha256, s.key_id, s.prefix, s.organisation_id, s.catalogue_version, s.used, s."now", s.seconds_left
  FROM look_up_secrets(hashes, counts) s WHERE s.scopes IS NULL;
END
$$;
