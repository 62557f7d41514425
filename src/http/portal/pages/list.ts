// Every page, form and answer of the portal. The shared security cases and the browser's checks run over these lists.
import { Problem } from "../../server/problem.js";
import type { AnswerOf, FormOf, PageOf, SignedInVisit, Visit } from "../page.js";
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
import { keyDownloads, keyForms, keysPage } from "./keys/page.js";
import { logEventPage } from "./log/event.js";
import { logDownloads, logPage } from "./log/page.js";
import { memberDownloads, memberForms, membersPage } from "./members.js";
import { overviewPage } from "./overview.js";
import { placesAnswer, quoteDownloads, quoteForm, quotesPage } from "./quotes/page.js";
import { shipmentDownloads, shipmentsPage } from "./shipments/list.js";
import { shipmentPage } from "./shipments/one.js";
import { organisationForm, signInForm, signInPage, signOutForm } from "./signIn.js";
import { beginPage, finishPage } from "./singleSignOn.js";
import { columnsForms } from "./upload/columns/forms.js";
import { columnsPage, draftColumnsPage } from "./upload/columns/page.js";
import { draftForm, draftPage } from "./upload/draftPage.js";
import { exampleAnswers } from "./upload/examples.js";
import { problemRowsAnswer } from "./upload/problemRows.js";
import { uploadForm } from "./upload/receiveForm.js";
import { uploadPage } from "./upload/uploadPage.js";
import { deliveryPage } from "./webhooks/delivery.js";
import { endpointForms, endpointList } from "./webhooks/endpoint.js";
import { addForm, webhookDownloads, webhooksPage } from "./webhooks/list.js";
import { endpointStream } from "./webhooks/live.js";

/** Of a visitor whom portal.ts has let in by their role; nobody else gets further. */
function signedIn(visit: Visit): SignedInVisit {
  const { person } = visit;
  if (!person) throw new Problem("unauthorised", "You are signed out. Sign in to continue");
  return { ...visit, person };
}

const page = (own: PageOf<SignedInVisit>): PageOf<Visit> => ({ ...own, show: (visit, deps) => own.show(signedIn(visit), deps) });

const form = (own: FormOf<SignedInVisit>): FormOf<Visit> => ({
  ...own,
  page: page(own.page),
  submit: (visit, fields, deps) => own.submit(signedIn(visit), fields, deps),
});

const answer = (own: AnswerOf<SignedInVisit>): AnswerOf<Visit> => ({
  ...own,
  answer: (visit, deps, body) => own.answer(signedIn(visit), deps, body),
});

export const pages: readonly PageOf<Visit>[] = [
  signInPage,
  beginPage,
  finishPage,
  joinPage,
  ...[
    overviewPage,
    importsList.page,
    importPage,
    reversePage,
    uploadPage,
    columnsPage, // before the draft's, whose address it resembles
    draftPage,
    draftColumnsPage,
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
  ].map(page),
  ...[importHistoryPage, quoteHistoryPage, webhooksPage, endpointList.page, deliveryPage, logPage, logEventPage, accountPage].map(page),
];

export const forms: readonly FormOf<Visit>[] = [
  signInForm,
  organisationForm,
  joinForm,
  ...[
    signOutForm,
    cancelForm,
    reverseForm,
    uploadForm,
    ...columnsForms,
    draftForm,
    ...correctionForms,
    judgeAgainForm,
    correctForm,
    quoteForm,
    ...keyForms,
    ...memberForms,
  ].map(form),
  ...[addForm, ...endpointForms, ...accountForms, ...catalogueForms].map(form),
];

export const answers: readonly AnswerOf<Visit>[] = [
  ...[
    ...importDownloads,
    ...importsList.downloads,
    ...keyDownloads,
    ...memberDownloads,
    ...webhookDownloads,
    ...endpointList.downloads,
    ...importStreams,
    problemRowsAnswer,
    ...exampleAnswers,
    ...correctionAnswers,
    ...activityDownloads,
    placesAnswer,
    ...catalogueAnswers,
    ...logDownloads,
    ...shipmentDownloads,
    ...quoteDownloads,
    endpointStream,
  ].map(answer),
];
