// A reporter that ends a red run with the project of each failed file, and how to run that file alone.
import { relative } from "node:path";
import type { Reporter, TestModule } from "vitest/node";

export const failedFiles: Reporter = {
  onTestRunEnd(modules: readonly TestModule[]) {
    const failed = modules.filter((module) => !module.ok());
    if (failed.length === 0) return;
    const lines = failed.map((module) => {
      const file = relative(process.cwd(), module.moduleId);
      return `  ${module.project.name}: ${file}\n    alone: npx vitest run ${file}\n`;
    });
    process.stderr.write(`\nFailed files:\n${lines.join("")}`);
  },
};
