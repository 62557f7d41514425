ALTER TABLE "imports" RENAME COLUMN "key_prefix" TO "requested_by";
--> statement-breakpoint
UPDATE "imports" SET "requested_by" = 'key:' || "requested_by";
