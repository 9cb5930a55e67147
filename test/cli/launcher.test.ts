/** `./tau` itself: fast from a checkout, never stale, usable from anywhere. */
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";

import { root } from "../support/launch.ts";

// A compile takes 3 s on a free processor, and ten times as long on a busy one.
setDefaultTimeout(240_000);

async function run(
	command: string[],
	env: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
	const child = Bun.spawn(command, {
		cwd: tmpdir(),
		env: { PATH: process.env.PATH ?? "", HOME: tmpdir(), ...env },
		stdin: "ignore",
		stdout: "pipe",
		stderr: "pipe",
	});
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

describe("in a checkout of its own", () => {
	let copy = "";
	const program = "packages/coding-agent/src/cli/main.ts";
	const small = [
		'import { version } from "@tau/utils";',
		'if (process.argv[2] === "changelog") console.log((await import("../../../../CHANGELOG.md", { with: { type: "text" } })).default);',
		"console.log(version);\n",
	].join("\n");
	const isForTests = /\.test\.tsx?$|\/(?:fixtures|__snapshots__)$/;
	const versionFile = (): string => join(copy, "packages/utils/package.json");

	beforeAll(() => {
		copy = mkdtempSync(join(tmpdir(), "tau-checkout-"));
		for (const name of ["package.json", "bun.lock", "CHANGELOG.md", "tau", "packages", "scripts"])
			cpSync(join(root, name), join(copy, name), {
				recursive: true,
				verbatimSymlinks: true,
				filter: (path) => !isForTests.test(path),
			});
		// The installed packages are shared; only what `./tau` writes belongs to the copy.
		mkdirSync(join(copy, "node_modules"));
		for (const name of readdirSync(join(root, "node_modules"))) {
			if (name !== ".cache" && name !== ".tau-installed") {
				symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
			}
		}
		writeFileSync(join(copy, "node_modules/.tau-installed"), "");
		// Of a program this small a compile takes a tenth of the time, and compressing the page is 7 s of CPU.
		writeFileSync(join(copy, program), small);
		const page = "node_modules/.cache/tau/page";
		if (existsSync(join(root, page))) cpSync(join(root, page), join(copy, page), { recursive: true });
	});
	afterAll(() => rmSync(copy, { recursive: true, force: true }));

	function setVersion(version: string): void {
		const text = readFileSync(versionFile(), "utf8");
		writeFileSync(versionFile(), text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
	}

	test("a change of the sources is used at the next start", async () => {
		setVersion("1.2.3");
		expect(await run([join(copy, "tau"), "--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
		expect(readdirSync(join(copy, "node_modules/.cache/tau")).toSorted()).toEqual([
			"page",
			"tau",
			"tau-changed.sh",
		]);
		setVersion("1.2.4");
		expect((await run([join(copy, "tau"), "--version"])).out).toBe("1.2.4\n");
	});

	test("also a deleted file, and one that was moved to the place of another", async () => {
		const [one, other] = ["a.ts", "b.ts"].map((name) => join(copy, "packages/utils/src", name)) as [
			string,
			string,
		];
		const importer = join(copy, program);
		writeFileSync(one, 'export const word = "one ";\n');
		const imported = `import { word } from ${JSON.stringify(one)};\nprocess.stdout.write(word);\n`;
		writeFileSync(importer, imported + small);
		const printed = async (): Promise<string> => (await run([join(copy, "tau"), "--version"])).out;
		expect(await printed()).toBe("one 1.2.4\n");
		writeFileSync(other, 'export const word = "other ";\n');
		utimesSync(other, 1, 1);
		expect(await printed()).toBe("one 1.2.4\n");
		renameSync(other, one);
		expect(await printed()).toBe("other 1.2.4\n");
		writeFileSync(importer, small);
		rmSync(one);
		expect(await printed()).toBe("1.2.4\n");
	});

	test("an executable and a list of sources of two builds are not used together", async () => {
		const list = join(copy, "node_modules/.cache/tau/tau-changed.sh");
		writeFileSync(list, "true\n");
		expect((await run([join(copy, "tau"), "--version"])).out).toBe("1.2.4\n");
		expect(readFileSync(list, "utf8")).toStartWith("find ../package.json");
	});

	test("also a change with an old modification time", async () => {
		setVersion("1.2.5");
		utimesSync(versionFile(), 1, 1);
		expect((await run([join(copy, "tau"), "--version"])).out).toBe("1.2.5\n");
	});

	test("also a change of the changelog, which the program contains", async () => {
		const line = "A line that only this checkout has.";
		appendFileSync(join(copy, "CHANGELOG.md"), `\n${line}\n`);
		expect((await run([join(copy, "tau"), "--version"])).code).toBe(0);
		const executable = readFileSync(join(copy, "node_modules/.cache/tau/tau"));
		// A text with characters beyond Latin-1 is stored in two bytes each.
		expect(executable.includes(line) || executable.includes(line, 0, "utf16le")).toBe(true);
	});

	test("many concurrent starts all use the current code", async () => {
		setVersion("1.2.6");
		const all = await Promise.all(Array.from({ length: 4 }, () => run([join(copy, "tau"), "--version"])));
		expect(all.map(({ out }) => out)).toEqual(Array.from({ length: 4 }, () => "1.2.6\n"));
	});

	test("it runs from the sources if it cannot compile", async () => {
		const cache = join(copy, "node_modules/.cache");
		rmSync(cache, { recursive: true, force: true });
		writeFileSync(cache, "in the way");
		const { code, out, err } = await run([join(copy, "tau"), "--version"]);
		expect({ code, out }).toEqual({ code: 0, out: "1.2.6\n" });
		expect(err).toMatch(/^tau: cannot compile: [^\n]+\n$/);
		rmSync(cache);
	});
});

test("it works through a symbolic link from anywhere", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-link-"));
	symlinkSync(join(root, "tau"), join(directory, "t"));
	const { code, out } = await run([join(directory, "t"), "--version"]);
	// In development it names its commit.
	const isVersion = /^\d+\.\d+\.\d+(?:-dev(?:\+[0-9a-f]{7,})?)?\n$/.test(out);
	expect({ code, isVersion }).toEqual({ code: 0, isVersion: true });
	rmSync(directory, { recursive: true });
});

test("--help shows every section and fits into 100 columns", async () => {
	const { code, out, err } = await run([join(root, "tau"), "--help"]);
	expect({ code, err }).toEqual({ code: 0, err: "" });
	for (const title of [
		"Running",
		"Model",
		"Session",
		"Prompt and tools",
		"Commands",
		"Examples",
		"Exit codes",
	]) {
		expect(out).toContain(`${title}:`);
	}
	expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(100);
});

test("TAU_TIMING=1 shows where the time of a run went", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-timing-"));
	const { code, err } = await run([join(root, "tau"), "-p", "hi", "--model", "tau/demo"], {
		HOME: home,
		TAU_TIMING: "1",
	});
	expect(code).toBe(0);
	expect(err).toContain("choose model");
	expect(err).toMatch(/\d+(\.\d+)? ?ms/);
	rmSync(home, { recursive: true });
});

test("TAU_DEBUG_STARTUP prints each phase as it starts and ends, and every prompt", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-startup-"));
	const { code, err } = await run([join(root, "tau"), "-p", "hi there", "again", "--model", "tau/demo"], {
		HOME: home,
		TAU_DEBUG_STARTUP: "1",
	});
	rmSync(home, { recursive: true });
	expect(code).toBe(0);
	const phases = [...err.matchAll(/^\[startup\] (.+):(start|done)$/gm)];
	const open: string[] = [];
	for (const [, name = "", edge] of phases) {
		if (edge === "start") open.push(name);
		else expect(open.pop()).toBe(name);
	}
	expect(open).toEqual([]);
	expect(err).toContain("[startup] choose model:start\n");
	expect(err).toContain("[startup] print:prompt:next:done\n");
});

test.each(["", "1"])(
	"a package that an extension imports and that is not installed is reported, not downloaded (TAU_FROM_SOURCE=%p)",
	async (fromSource) => {
		const home = mkdtempSync(join(tmpdir(), "tau-import-"));
		mkdirSync(join(home, ".tau/agent/extensions"), { recursive: true });
		writeFileSync(
			join(home, ".tau/agent/extensions/wants.ts"),
			'import isNumber from "is-number";\nexport default () => void isNumber(1);\n',
		);
		const cache = join(home, "cache");
		const { code, err } = await run([join(root, "tau"), "-p", "hi", "--model", "tau/demo"], {
			HOME: home,
			TAU_FROM_SOURCE: fromSource,
			BUN_INSTALL_CACHE_DIR: cache,
		});
		const downloaded = existsSync(cache) ? readdirSync(cache) : [];
		rmSync(home, { recursive: true });
		expect(code).toBe(0);
		expect(err).toContain("Cannot find package 'is-number'");
		expect(downloaded).toEqual([]);
	},
);
