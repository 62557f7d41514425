export const membersPath = "/portal/settings/members";
