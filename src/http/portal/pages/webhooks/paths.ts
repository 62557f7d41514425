export const webhooksPath = "/portal/settings/webhooks";

export const endpointPath = (endpointId: string): string => `${webhooksPath}/${endpointId}`;
