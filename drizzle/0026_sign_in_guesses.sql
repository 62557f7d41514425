CREATE TABLE "sign_in_guesses" (
	"key" text PRIMARY KEY NOT NULL,
	"guessed_at" timestamp with time zone[] NOT NULL
);
