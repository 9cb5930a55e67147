/** Says which files instruct the model: those of the person, then those of the project from its root down. */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

export interface ContextFilePlace {
	path: string;
	level: "user" | "project";
	/** Imports may not leave it. */
	root: string;
}

/** In the home directory the first that exists is meant: the others belong to other programs. */
const ofUser = [
	".omp/agent/AGENTS.md",
	".pi/agent/AGENTS.md",
	".claude/CLAUDE.md",
	".codex/AGENTS.md",
	".gemini/GEMINI.md",
] as const;

/** In a directory of a project the first of these that exists is meant: most are copies of each other. */
const ofDirectory = ["AGENTS.md", "CLAUDE.md", ".claude/CLAUDE.md", "GEMINI.md"] as const;

/** These stand beside it, after it: what a person says to Tau alone, and what is not shared with the team. */
const besides = [".tau/AGENTS.md", "AGENTS.local.md", "CLAUDE.local.md"] as const;

export interface FindOptions {
	cwd: string;
	/** `~/.tau/agent` */
	agentDir: string;
	home: string;
}

/** From the most general to the nearest; a file that is reached by two names counts once. */
export function findContextFiles({ cwd, agentDir, home }: FindOptions): ContextFilePlace[] {
	const found: ContextFilePlace[] = [];
	const user = [join(agentDir, "AGENTS.md"), ...ofUser.map((name) => join(home, name))].find(existsSync);
	if (user !== undefined) found.push({ path: user, level: "user", root: home });
	const root = projectRoot(cwd);
	for (const directory of levels(root, cwd)) {
		const main = ofDirectory.map((name) => join(directory, name)).find(existsSync);
		const more = besides.map((name) => join(directory, name)).filter(existsSync);
		for (const path of main === undefined ? more : [main, ...more])
			found.push({ path, level: "project", root });
	}
	const seen = new Set<string>();
	return found.filter(({ path }) => {
		const real = realpathSync(path);
		return !seen.has(real) && seen.add(real);
	});
}

/** The directory that holds `.git`, else the working directory itself. */
export function projectRoot(cwd: string): string {
	for (let at = resolve(cwd); ; at = dirname(at)) {
		if (existsSync(join(at, ".git"))) return at;
		if (dirname(at) === at) return resolve(cwd);
	}
}

/** Both ends are in it. */
function levels(root: string, cwd: string): string[] {
	const out = [root];
	const below = resolve(cwd).slice(root.length).split(sep).filter(Boolean);
	for (const name of below) out.push(join(out.at(-1) ?? root, name));
	return out;
}
