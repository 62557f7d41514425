DROP INDEX "imports_by_reference";--> statement-breakpoint
ALTER TABLE "organisations" ADD COLUMN "first_steps_put_away" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "activities_by_reference" ON "activities" USING btree ("import_position",left("reference", 200) text_pattern_ops) WHERE "activities"."reference" is not null;--> statement-breakpoint
CREATE INDEX "imports_by_file_name" ON "imports" USING btree ("organisation_id",lower(left(file_name, 200)) text_pattern_ops) WHERE "imports"."source" = 'file';--> statement-breakpoint
CREATE INDEX "imports_by_reference" ON "imports" USING btree ("organisation_id",lower(left(source_details, 200)) text_pattern_ops,"finished_at");