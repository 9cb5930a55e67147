/** `rg` shows lines of the files that say what it leaves out, if they are links to something else. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
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
import { dirname, join } from "node:path";

import { bash, outcomeOf, useDirectories, type Setup } from "../../../../test/support/policy.ts";
import { limits } from "./limits.ts";

let base = "";
let home = "";
let project = "";
beforeEach(() => {
	base = realpathSync(mkdtempSync(join(homedir(), ".tau-ignore-test-")));
	({ home, project } = useDirectories(base));
	writeFileSync(join(home, ".netrc"), "secret\n");
	put("src/a.ts", "x\n");
	for (const name of [".git/objects", ".git/refs"]) mkdirSync(join(project, name), { recursive: true });
	put(".git/HEAD", "ref: refs/heads/main\n");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const auto: Setup = { mode: "auto", boundary: "none" };

function put(path: string, text: string | Buffer): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	writeFileSync(join(project, path), text);
}

function link(path: string, target = join(home, ".netrc")): void {
	mkdirSync(dirname(join(project, path)), { recursive: true });
	symlinkSync(target, join(project, path));
}

const outcome = (command: string): Promise<string> => outcomeOf(auto, bash(command));

const places = [
	".gitignore",
	".ignore",
	".rgignore",
	"src/.ignore",
	".git/info/exclude",
	"src/deep/.gitignore",
];

test("regression: such a link may lead there once the command has made a directory", async () => {
	link("p/later", "../new");
	link("src/.ignore", "../p/later/../../home/.netrc");
	expect(await outcome("mkdir new; rg xyzzy")).toBe("ask");
	expect(await outcome("grep -r xyzzy src")).toBe("allow");
});

test.each(places)("rg is asked about where %s leads to a secret", async (path) => {
	link(path);
	expect(await outcome("rg xyzzy")).toBe("ask");
	expect(await outcome("rg xyzzy src")).toBe("ask");
	expect(await outcome("rg xyzzy src/*")).toBe("ask");
	expect(await outcomeOf({ ...auto, mode: "plan" }, bash("rg xyzzy"))).toBe("ask");
	expect(await outcome("grep -r xyzzy src")).toBe("allow");
});

test("regression: so is a search of directories whose names are not text, in which such a link may be", async () => {
	put("src/deep/b.ts", "x");
	const odd = Buffer.concat([Buffer.from(`${project}/src/`), Buffer.from([0xff])]);
	writeFileSync(odd, "x");
	expect(await outcome("rg xyzzy")).toBe("allow");
	rmSync(odd);
	mkdirSync(odd);
	symlinkSync(join(home, ".netrc"), Buffer.concat([odd, Buffer.from("/.ignore")]));
	expect(await outcome("rg xyzzy")).toBe("ask");
	expect(await outcome("grep -r xyzzy src/deep")).toBe("allow");
});

test("so is one of a repository inside, wherever its .git leads", async () => {
	put("sub/.git", "gitdir: ../store\n");
	link("store/info/exclude");
	expect(await outcome("rg xyzzy sub")).toBe("ask");
});

describe("regression: rg looks for info/exclude", () => {
	test.each([
		["relative to the directory in which it was started", "gitdir: st/w\n", "st/w/commondir", "..\n", "st"],
		["there, also for the second name", "gitdir: st/w\n", "st/w/commondir", "other\n", "other"],
		["there, also for a name that is empty", "gitdir: st/w\n", "st/w/commondir", "\n", "."],
		["with the blanks at the end of a name", "gitdir: ../st/w\n", "st/w/commondir", "../../st \n", "st "],
	])("%s", async (_, pointer, common, shared, store) => {
		put("sub/.git", pointer.replace("../", `${project}/`));
		put(common, shared);
		expect(await outcome("rg xyzzy")).toBe("allow");
		link(`${store}/info/exclude`);
		expect(await outcome("rg xyzzy")).toBe("ask");
		expect(await outcome("rg xyzzy sub/*")).toBe("ask");
	});

	test("after `cd`, from there", async () => {
		put("sub/.git", "gitdir: st/w\n");
		put("src/st/w/commondir", "..\n");
		expect(await outcome("cd src && rg xyzzy ../sub")).toBe("allow");
		link("src/st/info/exclude");
		expect(await outcome("rg xyzzy sub")).toBe("allow");
		expect(await outcome("cd src && rg xyzzy ../sub")).toBe("ask");
		expect(await outcome("(cd src; rg xyzzy ../sub)")).toBe("ask");
	});

	test("beside what a link leads to", async () => {
		mkdirSync(join(project, "deep/w"), { recursive: true });
		link("lw", "deep/w");
		put("sub/.git", `gitdir: ${project}/lw/../st/a\n`);
		put("deep/st/a/commondir", "..\n");
		link("deep/st/info/exclude");
		expect(await outcome("rg xyzzy")).toBe("ask");
	});

	test.each([
		["too long to be one of git", `gitdir: ../st\n${"x".repeat(limits.pointerBytes)}`],
		["with a sign that no path has", "gitdir: st\rx/w\n"],
		...(process.platform === "linux" ? [["through a process", "gitdir: /proc/self/cwd/st\n"] as const] : []),
	])("and is asked about where the file is %s", async (_, text) => {
		put("sub/.git", text);
		expect(await outcome("rg xyzzy")).toBe("ask");
	});
});

describe("regression: rg looks into what patterns leave out", () => {
	beforeEach(() => {
		put(".gitignore", "gone\n");
		link("gone/.ignore");
	});

	test.each([
		["rg xyzzy", "allow"],
		["rg xyzzy -g '*.ts' -g '!src'", "allow"],
		["rg xyzzy -g '*.{ts,js}' -g 'src/a.ts'", "allow"],
		["rg xyzzy -g 'g*'", "ask"],
		["rg xyzzy -ng'g*'", "ask"],
		["rg xyzzy --glob='src/**'", "ask"],
		["rg xyzzy --iglob GONE", "ask"],
		["find . -type f -print0 | xargs -0 rg xyzzy", "ask"],
		["rg xyzzy */*", "ask"],
	])("%s", async (command, expected) => {
		expect(await outcome(command)).toBe(expected);
	});

	test.each([
		["that are no text", ".gitignore", Buffer.from("\xff\ngone\n", "latin1")],
		["of a repository around another one", "src/.git/HEAD", ""],
		["where `.git` is a link", "src/.git", ""],
	])("%s", async (_, path, text) => {
		link("src/gone/.ignore");
		renameSync(join(project, "gone"), join(base, "gone"));
		expect(await outcome("rg xyzzy")).toBe("allow");
		if (path === "src/.git") link(path, "nowhere");
		else put(path, text);
		expect(await outcome("rg xyzzy")).toBe("ask");
	});

	test("where the repository is one no longer", async () => {
		renameSync(join(project, ".git"), join(base, "git"));
		link(".git", "nowhere");
		expect(await outcome("rg xyzzy")).toBe("ask");
	});
});

test("rg runs unasked with ordinary files, with links to others of the project, and with what another command reads", async () => {
	put(".gitignore", "node_modules/\ndist\n*.log\n");
	put("patterns", "x\n");
	link("src/.ignore", "../patterns");
	expect(await outcome("rg xyzzy")).toBe("allow");
	expect(await outcome("rg -n xyzzy src | head")).toBe("allow");
});

test("a command that puts such a file there is asked about", async () => {
	link("other");
	expect(await outcome("mv other .ignore && rg xyzzy")).toBe("ask");
});

test("directories that are left out are not looked into, and a tree that is too large is asked about", async () => {
	const many = Array.from({ length: 50 }, (_, at) => join("node_modules", `p${at}`));
	for (const path of many) mkdirSync(join(project, path), { recursive: true });
	for (let at = 0; at <= limits.ignoreEntries; at++)
		symlinkSync("x", join(project, many[at % many.length] ?? "", String(at)));
	expect(await outcome("rg xyzzy")).toBe("ask");
	put(".gitignore", "node_modules/\n");
	expect(await outcome("rg xyzzy")).toBe("allow");
	expect(await outcome("rg --no-ignore-vcs xyzzy")).toBe("ask");
	put("src/.gitignore", "!a\n");
	expect(await outcome("rg xyzzy")).toBe("allow");
	put(".ignore", "!node_modules\n");
	expect(await outcome("rg xyzzy")).toBe("ask");
}, 60_000);
