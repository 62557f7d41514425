// Every page, form and answer of the catalogue.
import { changesPage } from "./changes.js";
import { customerForms } from "./customerForms.js";
import { otherForms } from "./otherForms.js";
import { cataloguePage } from "./page.js";
import { rateCardPage } from "./rateCard.js";
import { thingPages } from "./thingPages.js";
import { applyForm, uploadForm, uploadPage } from "./upload.js";
import { downloadAnswer, versionDownloads, versionsPage } from "./versions.js";
import { zoneMapPage } from "./zoneMap.js";

const changing = [...customerForms, ...otherForms];

export const cataloguePages = [
  cataloguePage,
  ...changing.map(({ page }) => page), // before the pages of things, whose addresses would match those of the forms that add
  ...thingPages,
  zoneMapPage,
  rateCardPage,
  versionsPage,
  changesPage,
  uploadPage,
];

export const catalogueForms = [uploadForm, applyForm, ...changing.map(({ form }) => form)];

export const catalogueAnswers = [downloadAnswer, ...versionDownloads];
