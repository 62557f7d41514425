export const uploadPath = "/portal/upload";
export const checkPath = `${uploadPath}/check`;
export const plainCheckPath = `${uploadPath}/checked`;
export const choosePath = `${uploadPath}/choose`;
/** Where a file that was checked is uploaded, without being sent again. */
export const keptPath = `${uploadPath}/kept`;
export const sendKeptPath = `${keptPath}/send`;
export const problemRowsPath = (fileId = "{fileId}"): string => `${keptPath}/${fileId}/problem-rows`;
