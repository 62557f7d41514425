// Every page, form and answer of the catalogue.
import { changesPage } from "./changes.js";
import { applyForm, applyPage } from "./draft.js";
import { entryFormsAndRemovals, formPages } from "./entryForms.js";
import { entryPages } from "./entryPage.js";
import { laneDownloads, laneForms, lanePages } from "./laneForms.js";
import { cataloguePage } from "./page.js";
import { uploadForm, uploadPage } from "./upload.js";
import { downloadAnswer, versionDownloads, versionsPage } from "./versions.js";

export const cataloguePages = [
  cataloguePage,
  ...formPages, // before the pages of things, whose addresses would match those of the forms that add
  ...lanePages,
  ...Object.values(entryPages),
  versionsPage,
  changesPage,
  uploadPage,
  applyPage,
];

export const catalogueForms = [uploadForm, applyForm, ...entryFormsAndRemovals, ...laneForms];

export const catalogueAnswers = [downloadAnswer, ...versionDownloads, ...laneDownloads];
