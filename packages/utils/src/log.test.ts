/** Log lines are bounded and clean, and a log that cannot be written never disturbs the program. */
import { describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	statSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onDispose } from "./dispose.ts";
import { logLimits } from "./limits.ts";
import { createLogger } from "./log.ts";

function logFixture() {
	const root = mkdtempSync(join(tmpdir(), "tau-log-"));
	const dir = join(root, "deep/logs");
	const file = join(dir, "tau.log");
	const lines = (name = file) =>
		readFileSync(name, "utf8")
			.split("\n")
			.slice(0, -1)
			.map((line): Record<string, unknown> => JSON.parse(line));
	return { root, dir, file, lines, ...onDispose(() => rmSync(root, { recursive: true })) };
}

describe("lines", () => {
	test("nothing is created before the first line", () => {
		using at = logFixture();
		const log = createLogger({ dir: at.dir, level: "info" });
		log.debug("too quiet");
		expect(existsSync(join(at.root, "deep"))).toBe(false);
		log.info("hello");
		expect(at.lines()).toHaveLength(1);
		expect(statSync(at.file).mode & 0o777).toBe(0o600);
		expect(statSync(at.dir).mode & 0o777).toBe(0o700);
	});

	test("a line has time, level, source and message, and children add their fields", () => {
		using at = logFixture();
		const log = createLogger({ dir: at.dir, level: "debug" }).child({ part: "ai" });
		log.child({ turn: 1 }).warn("slow", { ms: 12, level: "fake" });
		const [line] = at.lines();
		expect(Object.keys(line ?? {})).toEqual([
			"time",
			"level",
			"pid",
			"msg",
			"part",
			"turn",
			"ms",
			"fields.level",
		]);
		expect(line).toMatchObject({ level: "warn", pid: process.pid, msg: "slow", part: "ai", turn: 1, ms: 12 });
		expect(new Date(String(line?.time)).getTime()).toBeGreaterThan(0);
	});

	test("secrets, control characters and huge fields do not reach the file", () => {
		using at = logFixture();
		const log = createLogger({ dir: at.dir, level: "info" });
		const fields = Object.fromEntries(
			Array.from({ length: 90 }, (_, index) => [`f${index}`, "x".repeat(10_000)]),
		);
		log.info("key sk-ant-api03-Ab3dEf6hIj9kLm2nOp5qRs8t\n\x1b[2J\x9b31m\u202e", { apiKey: "short" });
		log.info("huge", fields);
		const text = readFileSync(at.file, "utf8");
		expect(text).not.toMatch(/sk-ant|short|[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
		expect(at.lines()[0]?.msg).toBe("key sk-a…[masked]\n\x1b[2J\x9b31m\u202e");
		expect(at.lines()[1]).toMatchObject({ msg: "huge", cut: expect.stringContaining("left out") });
		expect(text.length).toBeLessThan(logLimits.lineLength);
	});

	test("the level off logs nothing", () => {
		using at = logFixture();
		createLogger({ dir: at.dir, level: "off" }).error("unheard");
		expect(existsSync(at.dir)).toBe(false);
	});
});

describe("rotation", () => {
	test("the files stay within their size and number, and the newest lines are in them", () => {
		using at = logFixture();
		const log = createLogger({ dir: at.dir, level: "info", fileBytes: 1000, keep: 2 });
		for (let index = 0; index < 100; index++) log.info("line", { index });
		expect(readdirSync(at.dir).toSorted()).toEqual(["tau.log", "tau.log.1", "tau.log.2"]);
		const lines = [`${at.file}.2`, `${at.file}.1`, at.file].flatMap((name) => {
			expect(statSync(name).size).toBeLessThanOrEqual(1000);
			return at.lines(name).map((line) => line.index as number);
		});
		expect(lines).toEqual(Array.from({ length: lines.length }, (_, index) => 100 - lines.length + index));
	});

	test("a lock that a dead process left behind is taken over", () => {
		using at = logFixture();
		mkdirSync(at.dir, { recursive: true });
		writeFileSync(`${at.file}.lock`, "");
		const log = createLogger({ dir: at.dir, level: "info", fileBytes: 200, keep: 1 });
		for (let index = 0; index < 5; index++) log.info("while it is held, the file only grows", { index });
		expect(existsSync(`${at.file}.1`)).toBe(false);
		expect(at.lines()).toHaveLength(5);
		const old = new Date(Date.now() - 2 * logLimits.staleLockMs);
		utimesSync(`${at.file}.lock`, old, old);
		for (let index = 0; index < 3; index++) log.info("and then it is set aside", { index });
		expect(existsSync(`${at.file}.1`)).toBe(true);
		expect(existsSync(`${at.file}.lock`)).toBe(false);
	});

	test("processes that write at the same time lose and tear no line", async () => {
		using at = logFixture();
		const program = `
			import { createLogger } from ${JSON.stringify(join(import.meta.dir, "log.ts"))};
			const log = createLogger({ dir: ${JSON.stringify(at.dir)}, level: "info", fileBytes: 8000, keep: 50 });
			for (let index = 0; index < 200; index++) log.info("line", { who: process.argv[1], index });
			if (log.dropped > 0) process.exit(3);
		`;
		const writers = ["a", "b", "c"].map((who) =>
			Bun.spawn([process.execPath, "-e", program, who], { stderr: "inherit" }),
		);
		expect(await Promise.all(writers.map((writer) => writer.exited))).toEqual([0, 0, 0]);
		const files = readdirSync(at.dir);
		expect(files.length).toBeGreaterThan(2);
		const seen = new Set(
			files.flatMap((name) => at.lines(join(at.dir, name)).map((line) => `${line.who}${line.index}`)),
		);
		expect(seen.size).toBe(600);
	});
});

describe("when the disk refuses", () => {
	test("the line is dropped and counted, and logging resumes when the disk recovers", () => {
		using at = logFixture();
		writeFileSync(join(at.root, "deep"), "a file where a directory should be");
		const log = createLogger({ dir: at.dir, level: "info" });
		log.info("one");
		log.child({ a: 1 }).info("two");
		expect(log.dropped).toBe(2);
		rmSync(join(at.root, "deep"));
		log.info("three");
		expect(at.lines().map((line) => line.msg)).toEqual(["three"]);
		expect(log.dropped).toBe(2);
	});

	test("a directory that cannot be created or named is not an error", () => {
		const nowhere = createLogger({ dir: "/proc/self/nowhere", level: "info" });
		nowhere.info("x");
		expect(nowhere.dropped).toBe(1);
		const lost = createLogger({
			dir: () => {
				throw new Error("no home");
			},
			level: "info",
		});
		lost.error("x");
		expect(lost.dropped).toBe(1);
	});

	test("a directory that disappears is created again", () => {
		using at = logFixture();
		const log = createLogger({ dir: at.dir, level: "info" });
		log.info("one");
		renameSync(at.dir, join(at.root, "gone"));
		log.info("two");
		expect(at.lines().map((line) => line.msg)).toEqual(["two"]);
	});
});

const daily = `
	import { log } from ${JSON.stringify(join(import.meta.dir, "log.ts"))};
	log.debug("quiet");
	log.info("loud");
`;

test("the log of the process goes to the logs directory at the level of the environment, and never to the terminal", () => {
	using at = logFixture();
	const base = { ...process.env, HOME: at.root, TAU_CONFIG_DIR: "conf", TAU_CODING_AGENT_DIR: "" };
	for (const level of ["debug", "warn", "nonsense"]) {
		const ran = Bun.spawnSync([process.execPath, "-e", daily], { env: { ...base, TAU_LOG_LEVEL: level } });
		expect(ran.stdout.toString() + ran.stderr.toString()).toBe("");
	}
	expect(at.lines(join(at.root, "conf/logs/tau.log")).map((line) => line.msg)).toEqual([
		"quiet",
		"loud",
		"loud",
	]);
});
