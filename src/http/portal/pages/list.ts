// All pages, forms and answers of the portal. The shared security tests and the browser tests run over these lists.
import type { AnswerDefinition, FormDefinition, PageDefinition, Subject, Visit } from "../pageDefinition.js";
import { account } from "./account.js";
import { activities } from "./activities/activitiesPage.js";
import { catalogueList, changesList, downloadAnswer, versionsList } from "./catalogue/cataloguePage.js";
import { entryForms } from "./catalogue/entryForms.js";
import { entryPages } from "./catalogue/entryPage.js";
import { organisationUpload } from "./catalogue/fileForm.js";
import { lanes } from "./catalogue/laneForms.js";
import { applyChange } from "./catalogue/waitingChange.js";
import { correctionAnswers } from "./corrections/correctionAnswers.js";
import { correctionForms, correctionsPage } from "./corrections/correctionsPage.js";
import { judgeAgainForm, judgeAgainPage } from "./corrections/judgeAgainPage.js";
import { importHistoryPage, quoteHistoryPage } from "./history.js";
import { importDownloads } from "./imports/importDownloads.js";
import { cancelForm, importPage, liveImport } from "./imports/importPage.js";
import { importsList, liveImports } from "./imports/importsList.js";
import { reverseForm, reversePage } from "./imports/reversePage.js";
import { keys } from "./keys/keysPage.js";
import { log } from "./log.js";
import { members } from "./members.js";
import { overviewForms, overviewPage } from "./overview.js";
import { quotes } from "./quotes/quotesPage.js";
import { helpPage, searchPage } from "./search.js";
import { shipments } from "./shipments/shipmentsPage.js";
import { joinForm, joinPage, organisationForm, signInForm, signInPage, signOutForm } from "./signIn.js";
import { beginPage, finishPage } from "./singleSignOn.js";
import { columnsForms, columnsPages } from "./upload/columns/columnsPage.js";
import { draftForm, draftPage } from "./upload/draftPage.js";
import { exampleFileAnswers } from "./upload/examples.js";
import { problemRowsAnswer } from "./upload/judgeDraft.js";
import { uploadForm, uploadPage } from "./upload/uploadPage.js";
import { deliveryPage } from "./webhooks/deliveryPage.js";
import { endpointForms, endpointList, liveEndpoint } from "./webhooks/endpointPage.js";
import { addForm, webhooksList } from "./webhooks/webhooksPage.js";

const subjects: readonly Subject[] = [
  { pages: [overviewPage, searchPage, helpPage], forms: [...overviewForms, signOutForm] },
  importsList,
  { pages: [importPage, reversePage, importHistoryPage, quoteHistoryPage], forms: [cancelForm, reverseForm] },
  { answers: [...importDownloads, liveImports, liveImport] },
  { pages: [uploadPage], forms: [uploadForm], answers: [problemRowsAnswer, ...exampleFileAnswers] },
  { pages: columnsPages, forms: columnsForms }, // before the draft, whose path pattern also matches the paths of these pages
  { pages: [draftPage], forms: [draftForm] },
  { pages: [correctionsPage, judgeAgainPage], forms: [...correctionForms, judgeAgainForm], answers: correctionAnswers },
  quotes,
  shipments,
  activities,
  entryForms, // before the pages of entries, whose path pattern also matches the paths of the forms for a new entry
  lanes,
  { pages: Object.values(entryPages), answers: [downloadAnswer] },
  catalogueList,
  versionsList,
  changesList,
  organisationUpload,
  applyChange,
  keys,
  members,
  webhooksList,
  { pages: [deliveryPage], forms: [addForm, ...endpointForms], answers: [liveEndpoint] },
  endpointList,
  log,
  account,
];

export const pages: readonly PageDefinition<Visit>[] = [
  ...[signInPage, beginPage, finishPage, joinPage],
  ...subjects.flatMap((subject) => subject.pages ?? []),
];
export const forms: readonly FormDefinition<Visit>[] = [
  ...[signInForm, organisationForm, joinForm],
  ...subjects.flatMap((subject) => subject.forms ?? []),
];
export const answers: readonly AnswerDefinition<Visit>[] = subjects.flatMap((subject) => subject.answers ?? []);
