/** Where nothing contains commands, one whose words hide which file is meant is asked about. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	mkdirSync,
	mkdtempSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { callOf, outcomeOf, useDirectories } from "../../../../test/support/policy.ts";

let base = "";
let home = "";
let project = "";
beforeAll(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-unseen-test-")));
	({ home, project } = useDirectories(base));
	mkdirSync(join(home, ".ssh"));
	writeFileSync(join(home, ".ssh", "id_rsa"), "key");
	writeFileSync(join(home, ".netrc"), "password");
	for (const name of ["src/deep", "q", "empty", "other", ".git/hooks"])
		mkdirSync(join(project, name), { recursive: true });
	for (const name of ["a.txt", "src/b.ts", "src/deep/c.ts", "other/.x"])
		writeFileSync(join(project, name), "x\n");
	symlinkSync(join(home, ".ssh"), join(project, "k"));
	symlinkSync(home, join(project, "hm"));
	symlinkSync("../.git/hooks", join(project, "q/l"));
	symlinkSync("src", join(project, "inside"));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** What is asked about, of commands that start in a directory of the project. */
async function asked(commands: readonly string[], directory = ".", isBackground?: true): Promise<string[]> {
	const outcomes = await Promise.all(
		commands.map(async (command) => {
			const cwd = join(project, directory);
			const touch = { kind: "exec", command, cwd, ...(isBackground ? { isBackground } : {}) } as const;
			const call = callOf({ name: "bash" }, [touch]);
			return [command, await outcomeOf({ mode: "auto" }, call)] as const;
		}),
	);
	return outcomes.flatMap(([command, outcome]) => (outcome === "ask" ? [command] : []));
}

test("`..` after `cd link` is beside what the link leads to", async () => {
	for (const [directory, commands] of [
		[
			"k",
			["cat ../.netrc", "echo x >> ../.bashrc", "rm -rf ../.aws", "mv ../.gitconfig ../.g", "grep -r KEY .."],
		],
		["k", ["cat ../.ne*", "head ../.[n]etrc", "for f in ../.netrc x; do cat $f; done"]],
		["q/l", ["echo '[core]' > ../config", "cp ../../a.txt ../fsmon", "echo x >> ../hooks/pre-commit"]],
	] as const)
		expect(await asked(commands, directory)).toEqual([...commands]);
	expect(await asked(["cat ../a.txt", "ls ..", "grep x ../*.txt"], "src")).toEqual([]);
	expect(await asked(["cat b.ts", "cat ../a.txt", "ls deep/*"], "inside")).toEqual([]);
});

test("regression: what follows a `cd` that may fail is judged in each directory in which it may run", async () => {
	const commands = [
		"cd src && cd nope; cat ../../home/.netrc",
		"cd src && cat nope && cd ..; cat ../../home/.netrc",
		"if cd src && cd nope; then ls; else cat ../../home/.n*; fi",
		"cd src && cd nope || grep -r x ../../home",
		"cd q && cd nope; echo x > l/pre-commit",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(await asked(["cd src && cat b.ts && cd ..; ls", "cd src && cd deep; cat c.ts"])).toEqual([]);
});

test("regression: a command that moves the directory in which it runs is asked about", async () => {
	mkdirSync(join(project, "m/n"), { recursive: true });
	const commands = [
		`cd m/n; mv ${project}/m/n ${project}/n; cat ../../home/.netrc`,
		`cd m/n && mv ${project}/m ${project}/o && ls ..`,
		"mv m/n n | (cd m/n; sleep 1; cat ../../home/.netrc)",
	];
	expect(await asked(commands)).toEqual(commands);
	const inside = [`mv ${project}/m/n ${project}/n; cat ../../home/.netrc`, `mv ${project}/m/n ${project}/n`];
	expect(await asked(inside, "m/n")).toEqual(inside);
	expect(await asked(["cd src; mv b.ts d.ts", "mv m other/m; ls other", "cd m; mv n o"])).toEqual([]);
});

test("regression: a command that puts something else in the place of a link is asked about", async () => {
	mkdirSync(join(project, "far/away/x"), { recursive: true });
	for (const name of ["far/home", "home", "bag", "plain/in"])
		mkdirSync(join(project, name), { recursive: true });
	writeFileSync(join(project, "far/home/.netrc"), "plain");
	writeFileSync(join(project, "home/.netrc"), "plain");
	symlinkSync("far/away/x", join(project, "way"));
	symlinkSync("way/../../home/.netrc", join(project, "one"));
	symlinkSync(".", join(project, "bag/inner"));
	symlinkSync(".", join(project, "here"));
	symlinkSync("sack/inner/../../home/.netrc", join(project, "two"));
	const commands = [
		"rm way && mkdir way && cat one",
		"rm way; mv plain way; echo x > one",
		"mv bag sack; cat two",
		"mv bag one sack",
		"rm -r bag; mkdir -p bag/inner; ls",
		"rm here/way; mkdir way; cat one",
		"rm way; mkdir -p way/deep; cat one",
		"rm here/way; mkdir -p here/here/way/deep; cat one",
		"rm way; mkdir here/way; cat one",
	];
	expect(await asked(commands)).toEqual(commands);
	const harmless = [
		"rm way",
		"rm -r plain && mkdir plain",
		"mv plain p2 && ls p2",
		"cat one two",
		"rm a.txt; ls",
		"rm way; cp src/b.ts a.txt",
	];
	expect(await asked(harmless)).toEqual([]);
});

test("regression: a link to what the command itself makes is what the system then finds there", async () => {
	mkdirSync(join(project, "p"));
	symlinkSync("../new", join(project, "p/later"));
	symlinkSync("p/later/../../home/.ssh", join(project, "keys"));
	symlinkSync("p/later/../../home/.bash_login", join(project, "rc"));
	const commands = [
		"mkdir new && cat keys/id_rsa",
		"mkdir new; cat keys/id*",
		"mkdir new; grep -r x keys",
		"echo x > rc",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(await asked(["mkdir new2 && ls new2/*.ts", "cat nowhere/*.ts"])).toEqual([]);
});

test("regression: `cd link/../x` may go to what is beside the target of the link", async () => {
	const commands = [
		"cd k/../.aws && cat credentials",
		"cd k && cd ../.aws && cat credentials",
		"if cd ./k/../.config; then echo x > a; fi",
		'cd "$PWD"/k/../.aws; grep -r x .',
	];
	expect(await asked(commands)).toEqual(commands);
	expect(
		await asked(["cd k && cd .. && cat a.txt", "cd ../q && ls", "cd deep && cd .. && cat b.ts"], "src"),
	).toEqual([]);
});

test("regression: what runs in a directory that only the shell knows is asked about", async () => {
	const commands = [
		"for i in 1; do cd ..; done; grep -rh x .",
		"for i in 1 2; do cd ..; done; rg --hidden x",
		"cd src; cd ../q; cd ../empty; cd ../other; cd ..; cd ..; cat h*/.netrc",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(
		await asked(["for d in src q; do (cd src; ls); done", "for i in 1; do cd src; echo done; done"]),
	).toEqual([]);
});

test("regression: a name is judged wherever a list that failed, or a loop, may have left the shell", async () => {
	const commands = [
		"cd src && cd nope; cat ../../home/.netrc",
		"cd src && cat nope && cd ..; echo x >> ../../home/.bashrc",
		"if cd src && cd nope; then pwd; else cat ../../home/.netrc; fi",
		"! cd src && true; cat ../../home/.netrc",
		"! cd nope && cat ../home/.netrc",
		"true || cd nope && cat ../home/.netrc",
		"cd .git && cat nope && cd ..; touch hooks/x",
		"for i in 1; do cd ..; done; grep -rh KEY .",
		"cd src; cd ../empty; cd ../other; cd ../q; cd ..; cd ..; cat h*/.netrc",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(await asked(["cd src && cat b.ts && cd ..; cat a.txt", "cd src && ls || cat a.txt"])).toEqual([]);
});

needs("/proc/self/cwd")(
	"regression: a link through /proc is where the command is, not where Tau is",
	async () => {
		mkdirSync(join(project, "px"));
		for (const [name, target] of [
			["pc", "/proc/self/cwd"],
			["pt", "/proc/thread-self/cwd"],
			["pr", "/proc/self/root"],
			["pf", "/dev/fd"],
			["pd", "/proc/self/cwd/../../nothing/here"],
		] as const)
			symlinkSync(target, join(project, "px", name));
		const commands = [
			"cat px/pc/../home/.netrc",
			"cat px/pt/../home/.netrc",
			"cat px/pc/../home/.ne*",
			"cat px/p*/../nothing",
			"cat px/*/x",
			"echo x >> px/pc/../home/.bashrc",
			"echo x > px/pc/new",
			`cat px/pr${home}/.netrc`,
			"cat px/pf/0",
			"grep -R x px",
			"cat px/pd",
		];
		expect(await asked(commands)).toEqual(commands);
	},
);

test("rg follows links only where its words say so", async () => {
	const following = ["rg -L x", "rg --follow x", "rg --fo x", "rg --files -L"];
	expect(await asked(following)).toEqual(following);
	expect(await asked(["rg --files", "rg --files-with-matches x", "rg --fixed-strings x | head"])).toEqual([]);
});

test("all words of a loop are read as what they are", async () => {
	const commands = [
		'for d in .. src; do grep -r KEY "$d"; done',
		'for d in hm src; do rg --hidden KEY "$d"; done',
		'for d in ./h*; do grep -rh KEY "$d"; done',
		'for d in hm src; do diff -rN "$d" empty; done',
		'for d in ../home x; do find "$d" -name .netrc -exec cat {} +; done',
		'for d in /proc/1 x; do grep -rsah KEY "$d"; done',
		'for d in .; do for e in hm src; do grep -rh KEY "$e"; done; done',
	];
	expect(await asked(commands)).toEqual(commands);
	expect(
		await asked([
			'for d in src other; do grep -r x "$d"; done',
			'for f in ./*.txt src/*.ts; do wc -l "$f"; done',
		]),
	).toEqual([]);
});

test("a pattern behind `link/..`, and one that is also `..`, is matched where the system looks", async () => {
	const commands = [
		"cat k/../.ne*",
		"grep -r . k/../.ss*",
		"find k/../.n* -exec cat {} +",
		"cat hm/../home/.ssh/id*",
		"cat ./*/../.netrc",
		"grep -r x k/..",
		// `.*` is `..`, too, before bash 5.2.
		"cat .*/home/.netrc",
		"cat src/.?/.?/home/.netrc",
		"cat ./.[.]/home/.netrc",
		"grep -rh KEY .?",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(await asked(["cat src/../a*", "cat src/.[!.]*", "ls -d .*", "cat src/*/*.ts"])).toEqual([]);
});

test("a directory is not moved unasked with links that lead out of it, nor a link or a repository", async () => {
	for (const name of ["links/deep", "relative/deep", "nested/deep/v/.git", "plain/deep"])
		mkdirSync(join(project, name), { recursive: true });
	symlinkSync(home, join(project, "links/deep/t"));
	// As it is, it leads into the project: behind `mv relative/deep x`, it would not.
	symlinkSync("../../home", join(project, "relative/deep/t"));
	symlinkSync("deep", join(project, "plain/l"));
	const commands = [
		"mv links x",
		"mv src old && mv links src",
		"mv relative/deep x",
		"mv inside x",
		"mv nested x",
	];
	expect(await asked([...commands, "rm -rf nested"])).toEqual([...commands, "rm -rf nested"]);
	expect(await asked(["mv plain x", "mv src old", "mv a.txt other/", "rm -rf plain"])).toEqual([]);
});

needs("git")("git grep is asked about where a link is in the place of a tracked directory", async () => {
	const repository = join(project, "tracked");
	mkdirSync(join(repository, "a/t"), { recursive: true });
	writeFileSync(join(repository, "a/t/.netrc"), "x\n");
	for (const args of [
		["init", "-q"],
		["add", "-A"],
	])
		expect(Bun.spawnSync(["git", ...args], { cwd: repository }).exitCode).toBe(0);
	expect(await asked(["git grep x"], "tracked")).toEqual([]);
	renameSync(join(repository, "a"), join(repository, "old"));
	mkdirSync(join(repository, "a"));
	symlinkSync(home, join(repository, "a/t"));
	expect(await asked(["git grep x"], "tracked")).toEqual(["git grep x"]);
	expect(await asked(["git -C tracked grep -h x"])).toEqual(["git -C tracked grep -h x"]);
	expect(await asked(["git status --short"], "tracked")).toEqual([]);
});

test("a command in the background that names files is asked about: they may be others by then", async () => {
	const commands = [
		"sleep 2; cat a.txt",
		"sleep 2; echo x >> src/b.ts",
		"sleep 2; grep x src/*.ts",
		"grep -r x src",
	];
	expect(await asked(commands, ".", true)).toEqual(commands);
	expect(await asked(commands)).toEqual([]);
	expect(await asked(["sleep 2; echo done", "date"], ".", true)).toEqual([]);
});

test("names that are not UTF-8, and links behind links, count as leading to secrets", async () => {
	const odd = (name: number[]): Buffer => Buffer.concat([Buffer.from(`${project}/`), Buffer.from(name)]);
	mkdirSync(join(project, "bytes"));
	mkdirSync(join(project, "hops"));
	mkdirSync(join(base, "outside"));
	symlinkSync(join(home, ".netrc"), join(base, "outside", "l"));
	symlinkSync(join(base, "outside"), join(project, "hops", "x"));
	const slashed = [...Buffer.from("bytes/")];
	symlinkSync(join(home, ".netrc"), odd([...slashed, 0xfe, 0x6e]));
	symlinkSync(odd([0xff]), join(project, "bytes", "new"));
	symlinkSync(join(home, ".new"), odd([0xff]));
	const commands = [
		"grep -R x bytes",
		"find bytes -type l -exec cat {} +",
		"diff -rN bytes empty",
		"cat bytes/*n",
		"echo x > bytes/new",
		"grep -R x hops",
	];
	expect(await asked(commands)).toEqual(commands);
	expect(await asked(["grep -r x bytes", "grep -R x src", "cat src/*.ts"])).toEqual([]);
});

test("regression: a directory whose name is not UTF-8 is not plain because a link with a plain name leads to it", async () => {
	const inOdd = (...names: string[]): Buffer =>
		Buffer.concat([Buffer.from(`${project}/odd/`), Buffer.from([0xff]), Buffer.from(names.join("/"))]);
	mkdirSync(join(project, "odd"));
	mkdirSync(inOdd());
	symlinkSync(Buffer.from([0xff]), join(project, "odd", "link"));
	symlinkSync(join(home, ".netrc"), inOdd("", "secret"));
	mkdirSync(inOdd("", ".git"));
	const commands = [
		"find odd/link/ -exec cat {} +",
		"grep -R x odd/link",
		"cd odd/link && cat secret",
		"git -C odd/link status",
		"cd odd/link; git diff",
		"rm -r odd/link/q",
	];
	expect(await asked(commands)).toEqual(commands);
});

test("regression: a pattern matches letter by letter, also those that are longer, or others at an end, in lower case", async () => {
	mkdirSync(join(project, "letters"));
	for (const name of ["\u0130", "\u0391\u03a3\u0392", "\u1e9e"])
		symlinkSync(join(home, ".netrc"), join(project, "letters", name));
	const commands = [
		"cat letters/?",
		"cat letters/\u0391\u03a3*",
		"cat letters/\u03b1\u03c2*",
		"LC_ALL=C cat letters/???",
		"grep x letters/[\u0130]",
	];
	expect(await asked(commands)).toEqual(commands);
});

test("a pattern with too many matches to list is asked about", async () => {
	for (let at = 0; at < 15; at++) mkdirSync(join(project, "wide", `d${at}`), { recursive: true });
	expect(await asked(["cat wide/*/../*/../*/x"])).toEqual(["cat wide/*/../*/../*/x"]);
	expect(await asked(["cat wide/*/../d*/x", "ls wide/*"])).toEqual([]);
});
