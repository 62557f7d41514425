-- Every request calls it. Planned anew for each call, it took three times as long; planned once while the tables are small, it would go on
-- reading them whole when they are large. So it is planned once, with indexes.
ALTER FUNCTION look_up_secrets(text[], integer[]) SET plan_cache_mode = force_generic_plan;--> statement-breakpoint
ALTER FUNCTION look_up_secrets(text[], integer[]) SET enable_seqscan = off;
