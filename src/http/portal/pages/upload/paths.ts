export const uploadPath = "/portal/upload";
/** Where a file waits that is no import yet. */
export const draftPath = (fileId = "{fileId}"): string => `${uploadPath}/${fileId}`;
/** The same path without a file is for a choice that was made before. */
export const columnsPath = `${uploadPath}/columns`;
export const columnsOfDraft = (fileId?: string): string => `${draftPath(fileId)}/columns`;
export const problemRowsPath = (fileId?: string): string => `${draftPath(fileId)}/problem-rows`;
