import type { AnswerOf } from "../../page.js";
import type { SignedInVisit } from "../../visit.js";
import { quotesPath } from "./asked.js";

const longest = 100;

/** Suggests places while a person types a postcode or a suburb. */
export const placesAnswer: AnswerOf<SignedInVisit> = {
  method: "GET",
  path: `${quotesPath}/places`,
  access: "look",
  answer: async ({ context, query }, { geography }) => {
    const [start = "", country = ""] = [query["start"], query["country"]].map((text) => (text ?? "").trim().slice(0, longest));
    return context.json({ places: geography.suggest(start, country || undefined) }, 200, { ...context.get("answerHeaders") });
  },
};
