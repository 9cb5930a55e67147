/** Git as tests prepare a project with it: with settings and hooks of its own, and none of the machine. */
import { afterAll } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { writeGitTemplate } from "./sandbox-fixture.ts";

export interface ProjectGit {
	/** The directory of the settings, a file `config`. */
	readonly settings: string;
	bash(cwd: string, script: string): void;
}

/** `more`: settings. What it makes is deleted after the tests of the file. */
export function projectGit(more = ""): ProjectGit {
	const settings = mkdtempSync(join(tmpdir(), "tau-git-"));
	afterAll(() => rmSync(settings, { recursive: true, force: true }));
	writeFileSync(
		join(settings, "config"),
		`[user]\nname=u\nemail=u@example.org\n[protocol "file"]\nallow=always\n[init]\ndefaultBranch=main\n[core]\neditor=true\n${more}`,
	);
	const template = writeGitTemplate(settings);
	return {
		settings,
		bash(cwd, script) {
			const env = {
				PATH: process.env.PATH,
				HOME: join(cwd, "../home"),
				GIT_CONFIG_GLOBAL: join(settings, "config"),
				GIT_CONFIG_NOSYSTEM: "1",
				GIT_TEMPLATE_DIR: template,
			};
			mkdirSync(cwd, { recursive: true });
			Bun.spawnSync(["timeout", "60", "bash", "-c", script], { cwd, env });
		},
	};
}
