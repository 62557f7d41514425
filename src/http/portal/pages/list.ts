// Every page, form and answer of the portal. The shared security cases and the browser's checks run over these lists.
import type { AnswerOf, FormOf, PageOf, Visit } from "../page.js";
import { accountForms } from "./account/forms.js";
import { accountPage } from "./account/page.js";
import { chosenRowsPage } from "./activities/chosenRows.js";
import { activityDownloads } from "./activities/downloads.js";
import { activityPage, correctForm } from "./activities/one.js";
import { activitiesPage } from "./activities/page.js";
import { catalogueAnswers, catalogueForms, cataloguePages } from "./catalogue/all.js";
import { correctionAnswers } from "./corrections/answers.js";
import { judgeAgainForm, judgeAgainPage } from "./corrections/judgeAgainPage.js";
import { correctionForms, correctionsPage } from "./corrections/page.js";
import { helpPage } from "./help.js";
import { importHistoryPage, quoteHistoryPage } from "./history.js";
import { importDownloads } from "./imports/downloads.js";
import { importsList } from "./imports/list.js";
import { importStreams } from "./imports/live.js";
import { cancelForm, importPage } from "./imports/one.js";
import { reverseForm, reversePage } from "./imports/reverse.js";
import { joinForm, joinPage } from "./join.js";
import { keyForms, keysPage } from "./keys/page.js";
import { logDownload } from "./log/download.js";
import { logEventPage } from "./log/event.js";
import { logPage } from "./log/page.js";
import { memberForms, membersPage } from "./members.js";
import { overviewPage } from "./overview.js";
import { placesAnswer, quoteForm, quotesPage } from "./quotes/page.js";
import { shipmentsPage } from "./shipments/list.js";
import { shipmentPage } from "./shipments/one.js";
import { organisationForm, signInForm, signInPage, signOutForm } from "./signIn.js";
import { beginPage, finishPage } from "./singleSignOn.js";
import { checkAnswer, checkForm } from "./upload/checkUpload.js";
import { chooseForm, columnsAnswers, columnsForms } from "./upload/columns/forms.js";
import { columnsPage, fileColumnsPage } from "./upload/columns/page.js";
import { problemRowsAnswer } from "./upload/problemRows.js";
import { keptAnswer, keptForm, uploadAnswer, uploadForm } from "./upload/sendUpload.js";
import { exampleAnswers, uploadPage } from "./upload/uploadPage.js";
import { deliveryPage } from "./webhooks/delivery.js";
import { endpointForms, endpointPage } from "./webhooks/endpoint.js";
import { addForm, webhooksPage } from "./webhooks/list.js";
import { endpointStream } from "./webhooks/live.js";

/** portal.ts shows a page that asks for a role only to signed-in visitors, so that the type can be narrowed here. */
const signedIn = <T extends PageOf<never> | FormOf<never> | AnswerOf<never>>(some: readonly T[]) => some as never;

export const pages: readonly PageOf<Visit>[] = [
  signInPage,
  beginPage,
  finishPage,
  joinPage,
  ...signedIn([
    overviewPage,
    importsList.page,
    importPage,
    reversePage,
    uploadPage,
    columnsPage,
    fileColumnsPage,
    correctionsPage,
    judgeAgainPage,
    quotesPage,
    shipmentsPage,
    shipmentPage,
    activitiesPage,
    chosenRowsPage,
    activityPage,
    ...cataloguePages,
    keysPage,
    membersPage,
    helpPage,
  ]),
  ...signedIn([importHistoryPage, quoteHistoryPage, webhooksPage, endpointPage, deliveryPage, logPage, logEventPage, accountPage]),
];

export const forms: readonly FormOf<Visit>[] = [
  signInForm,
  organisationForm,
  joinForm,
  ...signedIn([
    signOutForm,
    cancelForm,
    reverseForm,
    uploadForm,
    keptForm,
    checkForm,
    chooseForm,
    ...columnsForms,
    ...correctionForms,
    judgeAgainForm,
    correctForm,
    quoteForm,
    ...keyForms,
    ...memberForms,
  ]),
  ...signedIn([addForm, ...endpointForms, ...accountForms, ...catalogueForms]),
];

export const answers: readonly AnswerOf<Visit>[] = [
  ...signedIn([
    ...importDownloads,
    ...importsList.downloads,
    ...importStreams,
    uploadAnswer,
    keptAnswer,
    problemRowsAnswer,
    checkAnswer,
    ...columnsAnswers,
    ...exampleAnswers,
    ...correctionAnswers,
    ...activityDownloads,
    placesAnswer,
    ...catalogueAnswers,
    logDownload,
    endpointStream,
  ]),
];
