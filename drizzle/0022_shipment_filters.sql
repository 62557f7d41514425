CREATE INDEX "imports_by_reference" ON "imports" USING btree ("organisation_id",md5("source_details"),"finished_at");--> statement-breakpoint
CREATE INDEX "shipments_by_import" ON "shipments" USING btree ("import_position","shipment_id");--> statement-breakpoint
CREATE INDEX "shipments_by_customer" ON "shipments" USING btree ("organisation_id","left"("fields" ->> 'customerId', 200),"shipment_id");--> statement-breakpoint
CREATE INDEX "shipments_by_origin" ON "shipments" USING btree ("organisation_id","left"("fields" ->> 'originPostCode', 200),"shipment_id");--> statement-breakpoint
CREATE INDEX "shipments_by_destination" ON "shipments" USING btree ("organisation_id","left"("fields" ->> 'destinationPostCode', 200),"shipment_id");