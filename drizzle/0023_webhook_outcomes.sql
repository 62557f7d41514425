DROP INDEX "webhook_deliveries_by_status";--> statement-breakpoint
CREATE INDEX "webhook_deliveries_outcomes" ON "webhook_deliveries" USING btree ("created_at","status");