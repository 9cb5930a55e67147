/** Patterns at the start of a word run unasked where no name that they give can be an option. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { answering, bash, fixture, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

let base = "";
let project = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-patterns-test-")));
	({ project } = useDirectories(base));
	mkdirSync(join(project, "src"));
	for (const name of ["a.txt", "b.md", "src/c.ts"]) writeFileSync(join(project, name), "x\n");
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const reading = [
	"ls *.txt",
	"cat *",
	"wc -l *",
	"sort *.txt",
	"file *",
	"head -3 */c.ts",
	"grep -rn x *",
	"find * -maxdepth 0",
	"strings *",
	"jq . *.txt",
	'for f in *.txt *.md; do wc -l "$f"; done',
	"cat *.txt > all.log",
	"mkdir -p out && ls *.txt",
];

async function outcomes(commands: readonly string[], mode: "auto" | "plan" = "auto"): Promise<string[]> {
	return Promise.all(commands.map(async (each) => `${each}: ${await outcomeOf({ mode }, bash(each))}`));
}

test("a pattern of files runs unasked where no name that it matches begins with a dash", async () => {
	expect(await outcomes(reading)).toEqual(reading.map((each) => `${each}: allow`));
	const plain = reading.slice(0, 11);
	expect(await outcomes(plain, "plan")).toEqual(plain.map((each) => `${each}: allow`));
});

test("what may give the directory such a name, or lead elsewhere, is asked about", async () => {
	symlinkSync("-R", join(project, "dangling"));
	symlinkSync("./-new", join(project, "linked"));
	const asked = [
		"touch ./-R && ls *",
		"ls * && touch ./-R",
		"ls * > -R",
		"echo x > dangling; ls *",
		"touch linked/y; ls *",
		"ls * | tee -- -R",
		"mkdir -p ./-x/y && ls *",
		"cp src/c.ts ./-R; ls *",
		"mv src/-x .; ls *",
		"cd src && ls *",
		"(cd src; ls *)",
		"python3 a.py; ls *",
		"git stash pop; ls *",
		"cat */../../*/x",
		"rm *",
		"git add *",
	];
	expect(await outcomes(asked)).toEqual(asked.map((each) => `${each}: ask`));
	for (const name of ["dangling", "linked"]) rmSync(join(project, name));
});

test("where a name that the pattern matches may be an option, the question says what to write", async () => {
	writeFileSync(join(project, "-R.txt"), "");
	const commands = [
		"ls *.txt",
		"file *",
		"ls ?R.txt",
		"ls [!a]R*",
		"ls *.TXT",
		'for f in *; do cat "$f"; done',
	];
	expect(await outcomes(commands)).toEqual(commands.map((each) => `${each}: ask`));
	expect(await outcomes(["ls *.md", "ls ./*.txt", "ls -- *.txt"])).toEqual([
		"ls *.md: allow",
		"ls ./*.txt: allow",
		"ls -- *.txt: allow",
	]);
	const made = await fixture({ mode: "auto" });
	const shown = answering(made, "no");
	for (const command of ["ls *.txt", "file *.txt", 'for f in *.txt; do wc -l "$f"; done'])
		await made.judge(bash(command));
	const reason = "a name that *.txt matches may be taken for an option; write ./*.txt";
	expect(shown.map((each) => each.reason)).toEqual([reason, reason, reason]);
	rmSync(join(project, "-R.txt"));
	for (const name of ["+5", "@list", "!", "(", "-", "\n-R", "-delete"]) {
		writeFileSync(join(project, name), "");
		expect([name, await outcomes(["ls *", "find *"])]).toEqual([name, ["ls *: ask", "find *: ask"]]);
		rmSync(join(project, name));
	}
	expect(await outcomes(["ls *"])).toEqual(["ls *: allow"]);
});

test("a name that is not UTF-8 may be an option", async () => {
	const name = Buffer.concat([Buffer.from(`${project}/-`), Buffer.from([0xfe])]);
	writeFileSync(name, "");
	expect(await outcomes(["ls *.txt"])).toEqual(["ls *.txt: ask"]);
	rmSync(name);
});
