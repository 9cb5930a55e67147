/** Changes that the system reports late or not at all, and files that git has in another form: all of them come back. */
import { expect } from "bun:test";
import { linkSync, readdirSync, readFileSync, truncateSync } from "node:fs";

import { needs } from "../../../../test/support/needs.ts";
import { TestProject } from "./testing/project.ts";

const test = needs("git");

const text = (project: TestProject, name: string): string => readFileSync(project.path(name), "utf8");

test("a change through another name of the same file", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	linkSync(project.path("a.txt"), project.path("b.txt"));
	linkSync(project.path("a.txt"), `${project.home}/outside.txt`);
	const first = await project.run("echo 2 > b.txt");
	await project.rewind(first);
	expect([text(project, "a.txt"), text(project, "b.txt")]).toEqual(["1\n", "1\n"]);
	linkSync(project.path("a.txt"), `${project.home}/other.txt`);
	const second = await project.run("echo 3 > ../other.txt");
	await project.rewind(second);
	expect(text(project, "a.txt")).toBe("1\n");
});

needs("git", "python3")("a change through mapped memory", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1".repeat(100) });
	const message = await project.run(
		`python3 -c "
import mmap
f = open('a.txt', 'r+b'); m = mmap.mmap(f.fileno(), 0); m[0:3] = b'XXX'; m.close(); f.close()"`,
	);
	expect(text(project, "a.txt")).toStartWith("XXX");
	await project.rewind(message);
	expect(text(project, "a.txt")).toBe("1".repeat(100));
});

test("a file that a file tool changes after a command that still runs", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n", ".gitignore": "out/\n", "out/b.txt": "1\n" });
	project.shell("git init -q .");
	const message = project.log.add("message");
	await project.recorder.commandStarting("command");
	project.shell("echo 2 | tee a.txt new.txt");
	const finish = project.recorder.beforeCommit(
		["a.txt", "new.txt", "out/b.txt"].map((name) => project.path(name)),
		"call",
	);
	project.write({ "a.txt": "3\n", "new.txt": "3\n", "out/b.txt": "3\n" });
	finish(true);
	await project.recorder.commandEnded("command");
	await project.rewind(message);
	expect([text(project, "a.txt"), text(project, "out/b.txt")]).toEqual(["1\n", "1\n"]);
	expect(readdirSync(project.root)).not.toContain("new.txt");
});

test("a file that was changed and has the size and time of before", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n" });
	project.commitAll();
	project.shell("git gc -q; touch -r a.txt ../time; printf '9\\n' > a.txt; touch -r ../time a.txt");
	const message = await project.run("rm a.txt");
	await project.rewind(message);
	expect(text(project, "a.txt")).toBe("9\n");
});

const conversions: Readonly<Record<string, string>> = {
	"text=auto": "echo '* text=auto' > .gitattributes",
	"attributes of a directory": "echo '*.txt text eol=crlf' > sub/.gitattributes",
	"attributes that are not in the repository": "mkdir -p .git/info; echo '*.txt text' > .git/info/attributes",
	"autocrlf of the repository": "git init -q . && git config core.autocrlf input",
	"autocrlf of the user": "git config --global core.autocrlf true",
	"a filter of the user":
		"git config --global core.attributesFile ~/attributes; echo '*.txt filter=shift' > ~/attributes; git config --global filter.shift.clean 'tr a-z b-za'; git config --global filter.shift.smudge 'tr b-za a-z'",
};

test.each(Object.entries(conversions))("contents that git converts: %s", async (_name, setup) => {
	using project = new TestProject();
	project.write({ "sub/a.txt": "abc\r\ndef\r\n", "b.txt": "abc\r\ndef\r\n", "c.txt": "abc\n" });
	project.shell(setup);
	project.commitAll();
	project.shell("git gc -q");
	const before = project.snapshot();
	const message = await project.run("rm -rf sub *.txt");
	await project.rewind(message);
	expect(project.snapshot()).toEqual(before);
});

test("pipes and damaged packs in place of git's files do not block", async () => {
	using project = new TestProject();
	project.write({ "a.txt": "1\n", "sub/b.txt": "1\n" });
	project.commitAll();
	project.shell(
		"git gc -q; chmod -R u+w .git; mkdir .git/objects/aa; mkfifo .gitattributes sub/.gitignore .git/info/attributes .git/objects/pack/pack-1.idx; touch .git/objects/pack/pack-2.idx; mkfifo .git/objects/pack/pack-2.pack",
	);
	const packs = readdirSync(project.path(".git/objects/pack")).filter((name) => name.endsWith(".idx"));
	for (const name of packs)
		if (name.length > 20) truncateSync(project.path(`.git/objects/pack/${name}`), 1050);
	const before = project.snapshot();
	const message = await project.run("rm -r a.txt sub/b.txt");
	await project.rewind(message);
	expect(project.snapshot()).toEqual(before);
});
