// The roles. Each is one process and loads only what it needs: a start is mostly the loading of modules.
import type { RunRole } from "./main/roles/role.js";

const roles = {
  api: () => import("./main/roles/api.js"),
  worker: () => import("./main/roles/worker.js"),
  projector: () => import("./main/roles/projector.js"),
};

export type RoleName = keyof typeof roles;

export const loadRole = (name: RoleName): Promise<{ readonly run: RunRole }> => roles[name]();
