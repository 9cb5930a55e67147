/** A home and a project in a temporary directory, for tests of discovery. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Tree extends Disposable {
	readonly home: string;
	/** The root of a repository in the home directory. */
	readonly project: string;
	/** Writes a file below home, and returns its path. */
	put(path: string, text: string | Uint8Array): string;
	link(target: string, path: string): void;
}

export function plantTree(): Tree {
	const base = realpathSync(mkdtempSync(join(tmpdir(), "tau-tree-")));
	const home = join(base, "home");
	const project = join(home, "project");
	mkdirSync(join(project, ".git"), { recursive: true });
	const place = (path: string): string => {
		mkdirSync(dirname(join(home, path)), { recursive: true });
		return join(home, path);
	};
	return {
		home,
		project,
		put(path, text) {
			const file = place(path);
			writeFileSync(file, text);
			return file;
		},
		link: (target, path) => symlinkSync(target, place(path)),
		[Symbol.dispose]: () => rmSync(base, { recursive: true, force: true }),
	};
}

export function skillText(name: string, description = `Does ${name}.`, body = `How to ${name}.`): string {
	return `---\nname: ${name}\ndescription: ${description}\n---\n${body}\n`;
}
