ALTER TABLE "checkpoints" ADD COLUMN "log_id" uuid;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "event_id" uuid;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "event_stream" text;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "event_revision" bigint;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "event_commit" bigint;--> statement-breakpoint
ALTER TABLE "checkpoints" ADD COLUMN "event_prepare" bigint;