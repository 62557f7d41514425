// Every page, form and answer of the portal. The shared security cases and the browser's checks run over these lists.
import type { AnswerOf, FormOf, PageOf } from "../page.js";
import type { Visit } from "../visit.js";
import { activityDownloads } from "./activities/downloads.js";
import { activitiesPage } from "./activities/page.js";
import { correctionReads } from "./corrections/answers.js";
import { correctionChanges } from "./corrections/changes.js";
import { correctionForms } from "./corrections/forms.js";
import { correctionsPage } from "./corrections/page.js";
import { importHistoryPage, quoteHistoryPage } from "./history/pages.js";
import { importDownloads } from "./imports/downloads.js";
import { importsPage } from "./imports/list.js";
import { importStreams } from "./imports/live.js";
import { cancelForm, importPage } from "./imports/one.js";
import { joinForm, joinPage } from "./join.js";
import { keyForms, keysPage } from "./keys.js";
import { memberForms } from "./memberChanges.js";
import { invitationForms, membersPage } from "./members.js";
import { overviewPage } from "./overview/page.js";
import { quoteForms, quotesPage } from "./quotes/page.js";
import { placesAnswer } from "./quotes/places.js";
import { shipmentsPage } from "./shipments/list.js";
import { shipmentPage } from "./shipments/one.js";
import { organisationForm, signInForm, signInPage } from "./signIn.js";
import { signOutForm } from "./signOut.js";
import { beginPage, finishPage } from "./singleSignOn.js";
import { checkAnswer, checkForm } from "./upload/checkUpload.js";
import { exampleAnswers } from "./upload/examples.js";
import { uploadAnswer, uploadForm } from "./upload/sendUpload.js";
import { uploadPage } from "./upload/uploadPage.js";
import { endpointForms } from "./webhooks/changes.js";
import { endpointPage } from "./webhooks/endpointPage.js";
import { addForm, webhooksPage } from "./webhooks/listPage.js";

/** portal.tsx shows a page that asks for a role only to signed-in visitors, so that the type can be narrowed here. */
const signedIn = <T extends PageOf<never> | FormOf<never> | AnswerOf<never>>(some: readonly T[]) => some as never;

export const pages: readonly PageOf<Visit>[] = [
  signInPage,
  beginPage,
  finishPage,
  joinPage,
  ...signedIn([
    overviewPage,
    importsPage,
    importPage,
    uploadPage,
    correctionsPage,
    quotesPage,
    shipmentsPage,
    shipmentPage,
    activitiesPage,
    keysPage,
    membersPage,
  ]),
  ...signedIn([importHistoryPage, quoteHistoryPage, webhooksPage, endpointPage]),
];

export const forms: readonly FormOf<Visit>[] = [
  signInForm,
  organisationForm,
  joinForm,
  ...signedIn([
    signOutForm,
    cancelForm,
    uploadForm,
    checkForm,
    ...correctionForms,
    ...quoteForms,
    ...keyForms,
    ...invitationForms,
    ...memberForms,
  ]),
  ...signedIn([addForm, ...endpointForms]),
];

export const answers: readonly AnswerOf<Visit>[] = [
  ...signedIn([
    ...importDownloads,
    ...importStreams,
    uploadAnswer,
    checkAnswer,
    ...exampleAnswers,
    ...correctionReads,
    ...correctionChanges,
    ...activityDownloads,
    placesAnswer,
  ]),
];
