DROP TABLE "ended_imports" CASCADE;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "counted" bigint DEFAULT -1 NOT NULL;--> statement-breakpoint
ALTER TABLE "imports" ADD COLUMN "recorded_rows" integer;--> statement-breakpoint
UPDATE "imports" SET "counted" = "revision";
