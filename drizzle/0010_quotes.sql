CREATE TABLE "quote_requests" (
	"quotes_id" uuid PRIMARY KEY NOT NULL,
	"organisation_id" text NOT NULL,
	"alone" boolean NOT NULL,
	"quoted_at" timestamp (3) with time zone NOT NULL,
	"origin" json NOT NULL,
	"destination" json NOT NULL,
	"recorded" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quotes" (
	"organisation_id" text NOT NULL,
	"quoted_at" timestamp (3) with time zone NOT NULL,
	"quotes_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"customer_id" text NOT NULL,
	"services" integer NOT NULL,
	"cheapest_service" text,
	"cheapest_total" numeric,
	"no_quote_message" text NOT NULL,
	CONSTRAINT "quotes_organisation_id_quoted_at_quotes_id_number_pk" PRIMARY KEY("organisation_id","quoted_at","quotes_id","number")
);
--> statement-breakpoint
CREATE INDEX "quotes_by_customer" ON "quotes" USING btree ("organisation_id","customer_id","quoted_at","quotes_id","number");