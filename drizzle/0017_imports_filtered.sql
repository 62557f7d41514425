CREATE INDEX "imports_newest" ON "imports" USING btree ("organisation_id","position");--> statement-breakpoint
CREATE INDEX "imports_by_status" ON "imports" USING btree ("organisation_id","status","position");--> statement-breakpoint
CREATE INDEX "imports_by_kind_and_status" ON "imports" USING btree ("organisation_id","kind","status","position");