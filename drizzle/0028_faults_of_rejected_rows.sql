ALTER TABLE "rejections" ADD COLUMN "lead" integer;--> statement-breakpoint
ALTER TABLE "rejections" ADD COLUMN "faults" json;