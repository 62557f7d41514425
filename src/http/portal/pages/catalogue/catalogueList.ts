// Every page, form and answer of the catalogue.

import { catalogueList } from "./cataloguePage.js";
import { changesList } from "./changesPage.js";
import { applyForm, applyPage } from "./draft.js";
import { entryFormsAndRemovals, formPages } from "./entryForms.js";
import { entryPages } from "./entryPage.js";
import { laneDownloads, laneForms, lanePages } from "./laneForms.js";
import { organisationUpload } from "./uploadPage.js";
import { downloadAnswer, versionsList } from "./versionsPage.js";

const lists = [catalogueList, versionsList, changesList];

export const cataloguePages = [
  ...formPages, // before the pages of things, whose addresses would match those of the forms that add
  ...lanePages,
  ...Object.values(entryPages),
  ...lists.map(({ page }) => page),
  organisationUpload.page,
  applyPage,
];

export const catalogueForms = [organisationUpload.form, applyForm, ...entryFormsAndRemovals, ...laneForms];

export const catalogueAnswers = [downloadAnswer, ...lists.flatMap(({ downloads }) => downloads), ...laneDownloads];
