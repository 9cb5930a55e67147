/** The executables that are measured are those that were built and read before. */
import { expect } from "bun:test";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { needs } from "../test/support/needs.ts";
import { readAnew } from "./release.ts";

needs("dd")(
	"regression: a stale executable is built before Linux forgets its pages, and not by the first start",
	() => {
		const directory = mkdtempSync(join(tmpdir(), "tau-bench-release-"));
		const tau = join(directory, "tau");
		const build = `#!/bin/sh\ncd '${directory}' && mkdir -p node_modules/.cache/tau && echo built > node_modules/.cache/tau/tau\n`;
		writeFileSync(tau, build, { mode: 0o755 });
		readAnew([{ name: "this", tau }]);
		expect(existsSync(join(directory, "node_modules/.cache/tau/tau"))).toBe(process.platform === "linux");
		rmSync(directory, { recursive: true });
	},
);
