// Every page, form and answer of the portal. The shared security cases and the browser's checks run over these lists.
import { Problem } from "../../server/problem.js";
import type { AnswerDefinition, FormDefinition, PageDefinition, SignedInVisit, Visit } from "../pageDefinition.js";
import { accountForms } from "./account/accountForms.js";
import { accountPage } from "./account/accountPage.js";
import { activitiesPage } from "./activities/activitiesPage.js";
import { activityDownloads } from "./activities/activityDownloads.js";
import { activityPage, correctForm } from "./activities/activityPage.js";
import { chosenRowsPage } from "./activities/chosenRowsPage.js";
import { catalogueAnswers, catalogueForms, cataloguePages } from "./catalogue/catalogueList.js";
import { correctionAnswers } from "./corrections/correctionAnswers.js";
import { correctionForms, correctionsPage } from "./corrections/correctionsPage.js";
import { judgeAgainForm, judgeAgainPage } from "./corrections/judgeAgainPage.js";
import { helpPage } from "./help.js";
import { importHistoryPage, quoteHistoryPage } from "./history.js";
import { importDownloads } from "./imports/importDownloads.js";
import { cancelForm, importPage } from "./imports/importPage.js";
import { importStreams } from "./imports/importStreams.js";
import { importsList } from "./imports/importsList.js";
import { reverseForm, reversePage } from "./imports/reversePage.js";
import { joinForm, joinPage } from "./join.js";
import { keyDownloads, keyForms, keysPage } from "./keys/keysPage.js";
import { logEventPage } from "./log/logEventPage.js";
import { logDownloads, logPage } from "./log/logPage.js";
import { memberDownloads, memberForms, membersPage } from "./members.js";
import { overviewForms, overviewPage } from "./overview.js";
import { placesAnswer, quoteDownloads, quoteForm, quotesPage } from "./quotes/quotesPage.js";
import { searchPage } from "./search.js";
import { shipmentPage } from "./shipments/shipmentPage.js";
import { shipmentDownloads, shipmentsPage } from "./shipments/shipmentsPage.js";
import { organisationForm, signInForm, signInPage, signOutForm } from "./signIn.js";
import { beginPage, finishPage } from "./singleSignOn.js";
import { columnsForms } from "./upload/columns/columnsForms.js";
import { columnsPage, draftColumnsPage } from "./upload/columns/columnsPage.js";
import { draftForm, draftPage } from "./upload/draftPage.js";
import { exampleAnswers } from "./upload/examples.js";
import { problemRowsAnswer } from "./upload/problemRows.js";
import { uploadForm } from "./upload/uploadForm.js";
import { uploadPage } from "./upload/uploadPage.js";
import { deliveryPage } from "./webhooks/deliveryPage.js";
import { endpointForms, endpointList } from "./webhooks/endpointPage.js";
import { endpointStream } from "./webhooks/endpointStream.js";
import { addForm, webhookDownloads, webhooksPage } from "./webhooks/webhooksPage.js";

/** Of a visitor whom portal.ts has let in by their role; nobody else gets further. */
function signedIn(visit: Visit): SignedInVisit {
  const { person } = visit;
  if (!person) throw new Problem("unauthorised", "You are signed out. Sign in to continue");
  return { ...visit, person };
}

const page = (own: PageDefinition<SignedInVisit>): PageDefinition<Visit> => ({
  ...own,
  show: (visit, deps) => own.show(signedIn(visit), deps),
});

const form = (own: FormDefinition<SignedInVisit>): FormDefinition<Visit> => ({
  ...own,
  page: page(own.page),
  submit: (visit, fields, deps) => own.submit(signedIn(visit), fields, deps),
});

const answer = (own: AnswerDefinition<SignedInVisit>): AnswerDefinition<Visit> => ({
  ...own,
  answer: (visit, deps, body) => own.answer(signedIn(visit), deps, body),
});

export const pages: readonly PageDefinition<Visit>[] = [
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
    searchPage,
    helpPage,
  ].map(page),
  ...[importHistoryPage, quoteHistoryPage, webhooksPage, endpointList.page, deliveryPage, logPage, logEventPage, accountPage].map(page),
];

export const forms: readonly FormDefinition<Visit>[] = [
  signInForm,
  organisationForm,
  joinForm,
  ...[
    signOutForm,
    ...overviewForms,
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

export const answers: readonly AnswerDefinition<Visit>[] = [
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
