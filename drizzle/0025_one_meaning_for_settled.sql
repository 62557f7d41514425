ALTER TABLE "settled_rows" RENAME TO "finished_rows";--> statement-breakpoint
ALTER TABLE "finished_rows" RENAME COLUMN "settled_by" TO "finished_by";--> statement-breakpoint
ALTER TABLE "finished_rows" RENAME CONSTRAINT "settled_rows_import_id_row_pk" TO "finished_rows_import_id_row_pk";--> statement-breakpoint
ALTER TABLE "webhook_deliveries" RENAME COLUMN "settled_at" TO "ended_at";--> statement-breakpoint
ALTER INDEX "webhook_deliveries_settled" RENAME TO "webhook_deliveries_ended";
