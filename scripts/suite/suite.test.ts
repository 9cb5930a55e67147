/** `npm test` tells the truth about tests that fail once, fail always, crash, hang or cannot be loaded. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { isFullDepth } from "../../test/support/depth.ts";
import { estimateMs, planLanes, testFiles } from "./lanes.ts";
import { runSuite } from "./suite.ts";

let folder = "";
beforeAll(() => {
	folder = mkdtempSync(join(tmpdir(), "tau-suite-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

let trees = 0;

/** A tree with these test files; `import`s of bun:test are added. */
function tree(files: Record<string, string>): string {
	const root = join(folder, String(trees++));
	for (const [path, text] of Object.entries(files)) {
		mkdirSync(dirname(join(root, path)), { recursive: true });
		writeFileSync(join(root, path), `import { afterAll, beforeAll, test } from "bun:test";\n${text}`);
	}
	return root;
}

async function run(
	files: Record<string, string>,
	silenceMs = 60_000,
): Promise<{ code: number; out: string; last: string }> {
	const root = tree(files);
	let out = "";
	const write = (text: string): void => void (out += text);
	const code = await runSuite({ root, files: testFiles(root, []), silenceMs, write });
	return { code, out, last: out.trimEnd().split("\n").at(-1) ?? "" };
}

const passes = `test("passes", () => {});`;
const fails = `test("fails", () => { throw new Error("its reason"); });`;
/** Fails if it runs for the first time. */
const failsOnce = (name: string): string => `
	import { existsSync, writeFileSync } from "node:fs";
	test("fails once ${name}", () => {
		const mark = import.meta.dir + "/${name}.mark";
		if (existsSync(mark)) return;
		writeFileSync(mark, "");
		throw new Error("too early");
	});`;

test("what passes is counted, and nothing else is printed", async () => {
	const skipped = ["test", "skip"].join(".");
	const files = {
		"a.test.ts": `${passes} console.log("noise");`,
		"b/b.test.ts": `${passes} ${skipped}("c (needs git and x)", () => {});`,
	};
	expect(await run(files)).toEqual({
		code: 0,
		out: "\nskipped: 1 that need git\n2 passed, 0 failed, 1 skipped\n",
		last: "2 passed, 0 failed, 1 skipped",
	});
});

test("with --costs, the files that took the most CPU time are named before the last line", async () => {
	const busy = `test("is busy", () => { for (let n = 0, sum = 0; n < 1e8; n++) sum += n; });`;
	const root = tree({
		"a.test.ts": passes,
		"b.test.ts": busy,
		"c.test.ts": `// isolated: a reason\n${passes}`,
	});
	let out = "";
	const write = (text: string): void => void (out += text);
	expect(await runSuite({ root, files: testFiles(root, []), costs: true, write })).toBe(0);
	const row = "(?: +[\\d.]+){2} {2}";
	const rows = `${row}b\\.test\\.ts\n${row}[ac]\\.test\\.ts\n${row}[ac]\\.test\\.ts\n${row}all 3 files\n`;
	expect(out).toMatch(new RegExp(`\nCPU seconds, .*\n${rows}\n3 passed, 0 failed, 0 skipped\n$`));
	const all = JSON.parse(readFileSync(join(root, "node_modules/.cache/test-costs.json"), "utf8"));
	expect(Object.keys(all)).toHaveLength(3);
	expect(all["b.test.ts"].own).toBeGreaterThan(all["a.test.ts"].own);
});

test("a test that fails twice makes the run red, with its name and output", async () => {
	const { code, out, last } = await run({ "a.test.ts": passes + fails, "b.test.ts": passes });
	expect(code).toBe(1);
	expect(last).toBe("2 passed, 1 failed, 0 skipped");
	const [, failed = ""] = out.split("FAILED a.test.ts: fails\n");
	expect(failed).toContain("its reason");
});

test("a test that fails once is printed as flaky with its output, and does not make the run red", async () => {
	const { code, out, last } = await run({ "a.test.ts": passes + failsOnce("x"), "b.test.ts": passes });
	expect(code).toBe(0);
	expect(last).toBe("2 passed, 0 failed, 0 skipped, 1 flaky");
	const [, flaky = ""] = out.split("FLAKY a.test.ts: fails once x\n");
	expect(flaky).toContain("too early");
});

test("a test that fails, runs on and throws again is one flaky test", async () => {
	const throwsTwice = `
		import { existsSync, writeFileSync } from "node:fs";
		const over = Promise.withResolvers();
		test("throws twice", async () => {
			const mark = import.meta.dir + "/twice.mark";
			if (existsSync(mark)) return over.resolve();
			writeFileSync(mark, "");
			const failed = Promise.withResolvers();
			setImmediate(() => { setImmediate(failed.resolve); throw new Error("the first"); });
			await failed.promise;
			setImmediate(over.resolve);
			throw new Error("the second");
		});
		test("waits", () => over.promise);`;
	const { code, out, last } = await run({ "a.test.ts": passes + throwsTwice });
	expect(out).toContain("# Unhandled error between tests");
	expect(last).toBe("2 passed, 0 failed, 0 skipped, 1 flaky");
	expect(code).toBe(0);
});

test("three files with flaky tests make the run red", async () => {
	const { code, out, last } = await run({
		"a.test.ts": failsOnce("x"),
		"b.test.ts": passes + failsOnce("y"),
		"c.test.ts": failsOnce("z"),
	});
	expect(code).toBe(1);
	expect(last).toBe("1 passed, 0 failed, 0 skipped, 3 flaky");
	expect(out).toContain("3 files with flaky tests are more than 2");
});

test("several flaky tests of one file are one defect: the first may leave what fails the others", async () => {
	const more = ["y", "z"].map((name) => failsOnce(name).replace(/import .*/, "")).join("");
	const { code, out, last } = await run({ "a.test.ts": passes + failsOnce("x") + more });
	expect(last).toBe("1 passed, 0 failed, 0 skipped, 3 flaky");
	expect(out).toContain("FLAKY a.test.ts: fails once z\n");
	expect(code).toBe(0);
});

const broken: [what: string, source: string, last: string, failure: string][] = [
	[
		"kills its process",
		`${passes} test("dies", () => { process.kill(process.pid, "SIGKILL"); });`,
		"2 passed, 1 failed, 0 skipped",
		"(worker crashed)",
	],
	[
		"exits",
		`${passes} test("exits", () => { process.exit(0); });`,
		"2 passed, 1 failed, 0 skipped",
		"(worker crashed)",
	],
	[
		"cannot be loaded",
		`import "./none.ts"; ${passes}`,
		"1 passed, 1 failed, 0 skipped",
		"(error outside of a test)",
	],
	["cannot be parsed", `${passes} if (`, "1 passed, 1 failed, 0 skipped", "(error outside of a test)"],
	[
		"has a hook that throws",
		`afterAll(() => { throw new Error("hook"); }); ${passes}`,
		"2 passed, 1 failed, 0 skipped",
		"(unnamed)",
	],
	["has no test", "", "1 passed, 1 failed, 0 skipped", "(no result)"],
];
test.each(broken)(
	"a file that %s has failed, by its name, and costs no other file",
	async (_what, source, last, failure) => {
		const ran = await run({ "a.test.ts": source, "b.test.ts": passes });
		expect(ran.last).toBe(last);
		expect(ran.out).toContain(`FAILED a.test.ts: ${failure}\n`);
		expect(ran.code).toBe(1);
	},
);

test("a file that hangs is killed, named, and costs no other file", async () => {
	// It blocks as a loop does, and leaves the processor to other tests.
	const forever = isFullDepth ? "for (;;);" : "for (;;) Bun.sleepSync(20);";
	const hangs = `${passes} test("hangs", () => { ${forever} });`;
	const { code, out, last } = await run(
		{ "a.test.ts": hangs, "b.test.ts": passes, "c.test.ts": passes },
		3000,
	);
	expect(last).toBe("3 passed, 1 failed, 0 skipped");
	expect(out).toContain("FAILED a.test.ts: (");
	expect(code).toBe(1);
});

test("many failed files are not run again", async () => {
	const names = Array.from({ length: 26 }, (_, index) => `f${index}.test.ts`);
	const { out, last } = await run(Object.fromEntries(names.map((name) => [name, fails])));
	expect(out).toContain("26 files have failures: too many");
	expect(last).toBe("0 passed, 26 failed, 0 skipped");
});

test("a suite without a test is red", async () => {
	const root = tree({});
	expect(await runSuite({ root, files: [], write: () => {} })).toBe(1);
});

test("files that change their process or ask for it are isolated, and all others share their modules", () => {
	const root = tree({
		"packages/a/src/pure.test.ts": passes,
		"packages/a/src/starts.test.ts": `Bun.spawn(["true"]); ${passes}`,
		"packages/a/src/env.test.ts": `process.env.HOME = "/"; ${passes}`,
		"packages/a/src/helped.test.ts": `import "./testing/one.ts"; ${passes}`,
		"packages/a/src/testing/one.ts": `process.env.HOME = "/"; delete process.env.HOME;`,
		"packages/a/src/asks.test.ts": `// isolated: it looks at what others leave behind.\n${passes}`,
		"test/architecture/x.test.ts": `process.env.HOME = "/"; ${passes}`,
		"node_modules/b/b.test.ts": passes,
	});
	const lanes = planLanes(root, testFiles(root, []));
	expect(Object.fromEntries(lanes.map(({ name, files }) => [name, files]))).toEqual({
		shared: ["packages/a/src/helped.test.ts", "packages/a/src/pure.test.ts", "packages/a/src/starts.test.ts"],
		isolated: ["packages/a/src/asks.test.ts", "packages/a/src/env.test.ts"],
		checks: ["test/architecture/x.test.ts"],
	});
	expect(testFiles(root, ["./packages/a/src/p"])).toEqual(["packages/a/src/pure.test.ts"]);
	expect(testFiles(root, [`${root}/test/`])).toEqual(["test/architecture/x.test.ts"]);
});

test("the files that take longest start first, also in the first run of a checkout", () => {
	const root = tree({
		"says.test.ts": `// takes 60 s\n${passes}`,
		"starts.test.ts": `Bun.spawn(["true"]); ${passes}`,
		"pure.test.ts": passes + passes,
	});
	const byTime = [...estimateMs(root, testFiles(root, []))].toSorted(([, a], [, b]) => b - a);
	expect(byTime.map(([file]) => file)).toEqual(["says.test.ts", "starts.test.ts", "pure.test.ts"]);
});
