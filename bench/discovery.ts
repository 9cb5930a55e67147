/** What it takes to find what people wrote for all programs, in a repository with many files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import type { Discovered } from "./discovery-run.ts";
import type { Row } from "./report.ts";

const rounds = 9;
const filesInRoot = 2000;
const thingsEach = 5;
const folders = ["tau", "omp", "pi", "claude", "codex", "gemini", "agents", "cursor", "windsurf", "cline"];
const program = join(import.meta.dir, "discovery-run.ts");

export async function discovery(): Promise<Row[]> {
	const home = mkdtempSync(join(tmpdir(), "tau-bench-discovery-"));
	try {
		const empty = join(home, "empty/deep/down/in/a/project");
		mkdirSync(empty, { recursive: true });
		mkdirSync(join(home, "empty/.git"));
		const full = plant(home);
		const [all, none] = [await middle(home, full), await middle(join(home, "nobody"), empty)];
		const found = `${all.skills} skills, ${all.templates} templates, ${all.rows} things of every kind`;
		return [
			{
				name: "skills and templates of all programs",
				value: all.ms,
				unit: "ms of CPU",
				budget: 30,
				beside: found,
			},
			{ name: "then everything else that is found", value: all.restMs, unit: "ms of CPU", budget: 30 },
			{ name: "skills and templates, nothing there", value: none.ms, unit: "ms of CPU", budget: 10 },
		];
	} finally {
		rmSync(home, { recursive: true, force: true });
	}
}

/**
 * The first search of a new process: it happens once in a session. All of it is waiting for the system's answers on the
 * spot, so that its processor time is its time; on a machine that others use, the clock measures them.
 */
async function middle(home: string, cwd: string): Promise<Discovered> {
	const samples: Discovered[] = [];
	for (let round = 0; round < rounds; round++) {
		const child = Bun.spawn([process.execPath, program, home, cwd], { stdout: "pipe", stderr: "inherit" });
		samples.push(JSON.parse(await child.stdout.text()));
	}
	const [discovered] = samples.toSorted((a, b) => a.ms - b.ms).slice(rounds >> 1);
	if (!discovered) throw new Error("nothing was measured");
	return discovered;
}

/** Gives a directory deep in the repository. */
function plant(home: string): string {
	const root = join(home, "repository");
	const writeFixture = (path: string, text: string): void => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, text);
	};
	writeFixture(join(root, ".git/HEAD"), "");
	for (let file = 0; file < filesInRoot; file++) writeFixture(join(root, `file${file}.ts`), "");
	for (const base of [home, root, join(root, "packages/one")]) {
		writeFixture(join(base, "AGENTS.md"), "Words.\n".repeat(100));
		writeFixture(join(base, ".mcp.json"), JSON.stringify({ mcpServers: { one: { command: "one" } } }));
		for (const folder of folders) {
			for (let at = 0; at < thingsEach; at++) {
				const name = `${folder}-${at}`;
				const head = `---\nname: ${name}\ndescription: Does ${name}, and other things.\n---\n`;
				writeFixture(join(base, `.${folder}/skills/${name}/SKILL.md`), head + "Text.\n".repeat(200));
				writeFixture(join(base, `.${folder}/commands/${name}.md`), head + "Do $1.\n".repeat(50));
				writeFixture(join(base, `.${folder}/rules/${name}.md`), head + "Never do that.\n".repeat(20));
				writeFixture(join(base, `.${folder}/agents/${name}.md`), head + "You are one.\n".repeat(20));
			}
		}
	}
	const below = join(root, "packages/one/src/deep/down");
	mkdirSync(below, { recursive: true });
	return below;
}
