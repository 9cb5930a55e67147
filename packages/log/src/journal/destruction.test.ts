/** Whatever a command does to a project, a rewind brings back byte for byte, with modes; and redo takes that back. */
import { afterAll, describe, expect } from "bun:test";

import { needs } from "../../../../test/support/needs.ts";
import { TestProject } from "./testing/project.ts";

const test = needs("git");

const binary = Buffer.from(Array.from({ length: 2000 }, (_, at) => (at * 7919) & 0xff));

/** Tracked, dirty, staged, untracked, ignored, empty, binary, links, modes, odd names. */
function fill(project: TestProject): void {
	project.write({
		"a.txt": "tracked\n",
		"src/deep/er/b.ts": "export const b = 1;\n",
		"src/c.sh": "#!/bin/sh\n",
		"data.bin": binary,
		"empty.txt": "",
		".gitignore": "ignored/\n*.log\n",
		"dirty.txt": "committed\n",
		"staged.txt": "committed\n",
		"other-mode.txt": "tracked, with a mode of its own\n",
		"new\nline.txt": "a name with a line end\n",
		"ümlaut.txt": "a name with other letters\n",
	});
	project.chmod("src/c.sh", 0o755);
	project.chmod("other-mode.txt", 0o640);
	project.link("link.txt", "a.txt");
	project.link("dangling", "nowhere/at/all");
	project.link("src/up", "..");
	project.commitAll();
	project.write({
		"dirty.txt": "changed by the user\n",
		"staged.txt": "staged\n",
		"untracked.txt": "new\n",
		"notes/deep/todo.md": "- one\n",
		"ignored/out.js": "built\n",
		"ignored.log": "noise\n",
		".env": "SECRET=1\n",
	});
	project.chmod("untracked.txt", 0o600);
	project.shell(
		"git add staged.txt && mkdir -p empty/inside && chmod 750 empty && touch $'bad\\xff\\xfename'",
	);
}

/** What a rewind promises: everything except what git ignores. */
function promised(all: Map<string, string>): Map<string, string> {
	return new Map([...all].filter(([path]) => !path.startsWith("/ignored")));
}

const commands: Readonly<Record<string, string>> = {
	"rm -rf of everything but .git": "rm -rf ./* .gitignore .env",
	"rm -rf of everything and .git": "find . -mindepth 1 -delete",
	"rm -rf of the project itself": 'find "$PWD" -delete',
	"git reset --hard": "git reset -q --hard",
	"git clean -fdx": "git clean -fdxq",
	"git checkout .": "git checkout -q .",
	"git stash -u": "git stash -qu",
	"reset and clean": "git reset -q --hard && git clean -fdxq",
	"another branch": "git stash -qu && git checkout -q --orphan other && git rm -rqf . ",
	"mv of files": "mv a.txt moved.txt && mv untracked.txt src/",
	"mv of directories": "mv src lib && mv notes lib/ && mv lib/deep .",
	"mv over another": "mv a.txt untracked.txt",
	truncation: ": > a.txt; : > untracked.txt; truncate -s 3 data.bin dirty.txt",
	"in place": "sed -i s/t/T/ *.txt; printf more >> a.txt",
	chmod: "chmod 777 a.txt src; chmod -x src/c.sh; chmod 700 empty; chmod 400 dirty.txt",
	links: "rm link.txt && ln -s other link.txt; rm dangling; ln -s x new-link",
	"a link becomes a file": "rm link.txt && echo x > link.txt",
	"a file becomes a link": "rm a.txt && ln -s dirty.txt a.txt",
	"a file becomes a directory": "rm a.txt && mkdir a.txt && echo x > a.txt/inside",
	"a directory becomes a file": "rm -rf src && echo x > src",
	"a directory becomes a link": "mv src elsewhere && ln -s elsewhere src",
	"new files and directories": "mkdir -p new/a/b new/empty && echo x > new/a/b/c && echo y > top.txt",
	"odd names": "rm -f $'new\\nline.txt' $'bad\\xff\\xfename' ümlaut.txt; echo x > $'worse\\xfe\\n'",
	"replaced by rename": "echo x > t && mv t a.txt && echo y > t && mv t data.bin",
	"gone and back": "mv src s && mv s src && rm a.txt && git checkout -q a.txt && rm dirty.txt",
	"new rules": "echo '*.txt' >> .gitignore && rm -f *.txt",
	"git gc": "git commit -qam two && git gc -q --prune=now && rm -rf a.txt src",
};

/** How each kind of project differs from the one with loose objects. */
const kinds: Readonly<Record<string, string>> = {
	"loose objects": "true",
	"packed objects": "git gc -q && git reset -q",
	"no git": "rm -rf .git .gitignore ignored*",
};

/** One project of each kind, which the tests copy: to make it takes ten programs. */
const templates = new Map<string, TestProject>();
afterAll(() => {
	for (const template of templates.values()) template[Symbol.dispose]();
});

function templateOf(kind: string): TestProject {
	return templates.getOrInsertComputed(kind, () => {
		const template = new TestProject();
		fill(template);
		template.shell(kinds[kind] ?? "");
		return template;
	});
}

describe.each(Object.entries(commands))("%s", (_name, command) => {
	test.each(Object.keys(kinds))("with %s", async (kind) => {
		if (kind === "no git" && command.includes("git ")) return;
		using project = new TestProject();
		project.copy(templateOf(kind));
		const before = promised(project.snapshot());
		const message = await project.run(command);
		const after = promised(project.snapshot());
		expect(after).not.toEqual(before);
		await project.rewind(message);
		expect(promised(project.snapshot())).toEqual(before);
		await project.redo();
		expect(promised(project.snapshot())).toEqual(after);
	});
});

test("a file that nobody may read any more comes back; after a yes, where its owner may not read it either", async () => {
	using project = new TestProject();
	fill(project);
	const before = project.snapshot();
	const message = await project.run("chmod 000 dirty.txt empty");
	const plan = await project.history.plan(project.history.momentBefore(message));
	const isRoot = process.getuid?.() === 0;
	expect(plan.files.find(({ shown }) => shown === "dirty.txt")?.conflict).toBe(
		isRoot ? undefined : "not-kept",
	);
	expect(await project.history.restore(plan, () => true)).toMatchObject({ failed: [], skipped: [] });
	expect(promised(project.snapshot())).toEqual(promised(before));
});
