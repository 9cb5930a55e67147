/** Cassettes end to end: the real program records, replays, verifies and forks, and reports bugs. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import {
	appendFileSync,
	cpSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdCompressSync, zstdDecompressSync } from "node:zlib";

import { launch, tauProgram, type Finished, type Launched } from "../support/launch.ts";
import { isEvent, startRpc } from "../rpc/rpc-process.ts";
import { needs } from "../support/needs.ts";
import { Tmux } from "../support/tmux.ts";

const secret =
	"sk-ant-api03-aBcD1234eFgH5678iJkL9012mNoP3456qRsT7890uVwX1234yZaB5678cDeF9012gHiJ3456kLmN7890oPqR12-AAAA";

let tau: Launched;
let recorded: Finished;
let session: string;
const elsewhere = mkdtempSync(join(tmpdir(), "tau-elsewhere-"));

beforeAll(async () => {
	tau = await launch({
		steps: [
			{
				answer: {
					blocks: [
						{ text: "Let me look.", chunks: 3 },
						{ toolCall: { name: "bash", arguments: { command: "cat a.txt; pwd" } } },
					],
				},
			},
			{ answer: { blocks: [{ text: "It says hello, and that is all.", chunks: 8 }], delayMs: 5 } },
			{ answer: "Another answer, of the fork." },
		],
		fallback: { answer: "More." },
	});
	writeFileSync(join(tau.project, "a.txt"), "hello\n");
	recorded = await tau.run(["-p", `what is in a.txt? ${secret}`, "--record", "demo.cassette"]);
	session = sessionFiles()[0] ?? "";
});

afterAll(async () => {
	await tau[Symbol.asyncDispose]();
	rmSync(elsewhere, { recursive: true, force: true });
});

/** Without a way to any model. */
function offline(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
	const nobody = { HTTP_PROXY: "http://127.0.0.1:9", HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "" };
	return tau.run(args, { env: { ...nobody, ...env } });
}

function sessionFiles(): string[] {
	const sessions = join(tau.agentDir, "sessions");
	const found = existsSync(sessions) ? readdirSync(sessions, { recursive: true, encoding: "utf8" }) : [];
	return found.filter((name) => name.endsWith(".jsonl")).map((name) => join(sessions, name));
}

test("--record writes one file that says how to replay it", () => {
	expect(recorded).toMatchObject({ code: 0, out: "It says hello, and that is all.\n" });
	expect(recorded.err).toContain("Replay it: tau replay");
});

test("keys and the home directory are not in the recording", () => {
	const text = zstdDecompressSync(readFileSync(join(tau.project, "demo.cassette"))).toString();
	expect(text).toContain("It says hello");
	expect(text).not.toContain(secret);
	expect(text).not.toContain(secret.slice(20, 60));
	expect(text).not.toContain(tau.home);
});

test("a replay prints the same bytes at another time, with another time zone, locale and home", async () => {
	const here = await offline(["replay", "demo.cassette", "--json"]);
	expect(here.err).toBe("");
	expect(here.code).toBe(0);
	expect(here.out.split("\n").length).toBeGreaterThan(20);
	const there = await offline(["replay", "demo.cassette", "--json"], {
		HOME: elsewhere,
		TZ: "Pacific/Kiritimati",
		LANG: "de_DE.UTF-8",
		LC_ALL: "tr_TR.UTF-8",
	});
	expect(there.out).toBe(here.out);
	const text = await offline(["replay", "demo.cassette"]);
	expect(text.out).toContain("* bash cat a.txt; pwd\nIt says hello, and that is all.\n(done)\n");
});

test("--verify runs the tools again in a copy, and names the first field that differs", async () => {
	const same = await offline(["replay", "demo.cassette", "--verify", "--junit", "same.xml"]);
	expect(same).toMatchObject({ code: 0, out: "✓ 3 checks, no difference\n" });
	expect(readFileSync(join(tau.project, "same.xml"), "utf8")).toContain('tests="3" failures="0"');
	writeFileSync(join(tau.project, "a.txt"), "changed\n");
	const other = await offline(["replay", "demo.cassette", "--verify", "--junit", "other.xml"]);
	writeFileSync(join(tau.project, "a.txt"), "hello\n");
	expect(other.code).toBe(1);
	expect(other.out).toContain("The nearest recording is number 2. It differs in messages[2]");
	expect(other.out).toMatch(
		/tool result 1 \(bash\)\n {2}It differs in content\[0\]\.text: recorded "hello.*, now "changed/,
	);
	expect(readFileSync(join(tau.project, "other.xml"), "utf8")).toContain('failures="2"');
});

test("--verify of a session that names its directory by whole paths works in the copy, and finds no difference", async () => {
	const home = mkdtempSync(join(tmpdir(), "tau-paths-"));
	const shop = join(home, "shop");
	mkdirSync(shop);
	writeFileSync(join(shop, "a.txt"), "hello\n");
	const write = { name: "write", arguments: { path: join(shop, "b.txt"), content: "new\n" } };
	const bash = { name: "bash", arguments: { command: `cat ${shop}/a.txt ${shop}/b.txt` } };
	await using other = await launch({
		steps: [
			{ answer: { blocks: [{ text: `I work in ${shop}.`, chunks: 4 }, { toolCall: write }] } },
			{ answer: { blocks: [{ toolCall: bash, chunks: 5 }] } },
			{ answer: "Both are there." },
		],
	});
	cpSync(join(other.home, ".tau"), join(home, ".tau"), { recursive: true });
	const there = { cwd: shop, env: { HOME: home } };
	const args = ["-p", `look at ${shop}/a.txt`, "--auto-approve", "--record", "paths.cassette"];
	expect(await other.run(args, there)).toMatchObject({ code: 0, out: "Both are there.\n" });
	rmSync(join(shop, "b.txt"));
	for (const more of [[], ["--sandbox", "off"]]) {
		const again = await other.run(["replay", "paths.cassette", "--verify", ...more], there);
		expect(again).toMatchObject({ code: 0, out: "✓ 5 checks, no difference\n" });
		expect(existsSync(join(shop, "b.txt"))).toBe(false);
	}
	rmSync(home, { recursive: true, force: true });
});

test("--verify of a recording of the demo, which sends no requests, runs its tools again", async () => {
	const demo = ["--model", "tau/demo"];
	await tau.run(["-p", "run echo hi", "--record", "tried.cassette", ...demo]);
	const same = await tau.run(["replay", "tried.cassette", "--verify", "--junit", "tried.xml"]);
	expect(same).toMatchObject({ code: 0, out: "✓ 3 checks, no difference\n" });
	expect(readFileSync(join(tau.project, "tried.xml"), "utf8")).toContain('failures="0"');
	await tau.run(["-p", "run date +%N", "--record", "tried-too.cassette", ...demo]);
	const other = await tau.run(["replay", "tried-too.cassette", "--verify"]);
	expect(other).toMatchObject({ code: 1 });
	expect(other.out).toContain("✗ tried-too: tool result 1 (bash)\n  It differs in content[0].text");
});

test("--verify finds a changed prompt, which guards prompts in CI", async () => {
	const changed = await offline([
		"replay",
		"demo.cassette",
		"--verify",
		"--append-system-prompt",
		"Be brief.",
	]);
	expect(changed.code).toBe(1);
	expect(changed.out).toContain("differs in system");
});

test("--verify without anything that contains commands is refused", async () => {
	const refused = await offline(["replay", "demo.cassette", "--verify"], { TAU_CONTAINER: "none" });
	expect(refused.code).toBe(2);
	expect(refused.err).toContain("nothing contains them here");
});

needs("bwrap", "nsenter")(
	"--verify in the sandbox: a recording that comes from elsewhere changes nothing outside of the copy",
	async () => {
		const [outside, own] = [join(elsewhere, "written"), join(tau.home, ".profile")];
		const write = (path: string) => ({
			answer: { blocks: [{ toolCall: { name: "write", arguments: { path, content: "harm" } } }] },
		});
		await using hostile = await launch({ steps: [write(outside), write(own), write("inside.txt"), "Done."] });
		const file = join(elsewhere, "hostile.cassette");
		await hostile.run(["-p", "go", "--record", file, "--approval-mode", "full"]);
		for (const path of [outside, own]) rmSync(path);
		// Also where the user lets models do everything.
		writeFileSync(join(tau.agentDir, "config.yml"), "tools:\n  approvalMode: full\n");
		const env = { TAU_CONTAINER: "none", TAU_SANDBOX: "required" };
		const verified = await offline(["replay", file, "--verify"], env);
		rmSync(join(tau.agentDir, "config.yml"));
		expect(verified.code).toBe(1);
		expect(verified.out).toContain("tool result 1 (write)");
		expect(verified.out).not.toContain("tool result 3 (write)");
		expect([outside, own].filter((path) => existsSync(path))).toEqual([]);
	},
);

test("a pipe or a device is no recording, and nothing waits for it", async () => {
	const refused = await offline(["replay", "/dev/zero"]);
	expect(refused).toMatchObject({ code: 2, out: "" });
	expect(refused.err).toContain("/dev/zero is not a file");
});

test("--fork continues from an answer, with the prompt of the recording or another one", async () => {
	const before = new Set(sessionFiles());
	const again = await tau.run(["replay", "demo.cassette", "--fork", "2", "say it differently"]);
	expect(again).toMatchObject({ code: 0, out: "Another answer, of the fork.\n" });
	const file = sessionFiles().find((each) => !before.has(each)) ?? "";
	const log = readFileSync(file, "utf8");
	expect(log).toContain("Let me look.");
	expect(log).toContain("say it differently");
	expect(log).not.toContain("It says hello");
	const first = await tau.run(["replay", "demo.cassette", "--fork", "1"]);
	expect(first).toMatchObject({ code: 0, out: "More.\n" });
	expect(JSON.stringify(tau.played.requests.at(-1)?.body)).toContain("what is in a.txt?");
	const none = await tau.run(["replay", "demo.cassette", "--fork", "9"]);
	expect(none).toMatchObject({ code: 2 });
	expect(none.err).toContain("There is no answer 9: the recording has 2.");
});

test("--fork continues with another model", async () => {
	appendFileSync(join(tau.agentDir, "models.yml"), "      - id: played-2\n");
	// Regression: with -p, `replay` was taken for the first word of a prompt.
	const args = ["replay", "demo.cassette", "--fork", "2", "--model", "played/played-2", "-p", "and now?"];
	expect(await tau.run(args)).toMatchObject({ code: 0, err: "" });
	expect(tau.played.requests.at(-1)?.body).toMatchObject({ model: "played-2" });
});

test("a hostile cassette writes nothing to the terminal, and its directory is not used", async () => {
	const control = "\u001B]0;owned\u0007\u001B[2J";
	const directory = `${join(elsewhere, "made-by-a-cassette")}${control}/../..`;
	const text = zstdDecompressSync(readFileSync(join(tau.project, "demo.cassette"))).toString();
	const lines = text.split("\n").map((row) => {
		const line = row === "" ? {} : (JSON.parse(row) as { type?: string; line?: string });
		if (line.type !== "log" || line.line === undefined) return row;
		const entry = JSON.parse(
			line.line.replaceAll("what is in a.txt?", JSON.stringify(control).slice(1, -1) + "what is?"),
		) as Record<string, unknown>;
		if (entry.type === "session") entry.cwd = directory;
		return JSON.stringify({ ...line, line: JSON.stringify(entry) });
	});
	writeFileSync(join(tau.project, "hostile.cassette"), zstdCompressSync(lines.join("\n")));
	for (const args of [
		["replay", "hostile.cassette"],
		["cassette", "show", "hostile.cassette"],
		["replay", "hostile.cassette", "--verify"],
	]) {
		const { out, err } = await offline(args);
		expect(`${out}${err}`.replaceAll(/\u001B\[[\d;]*m/g, "")).not.toMatch(/[\u001B\u0007]/);
	}
	expect((await offline(["replay", "hostile.cassette"])).out).toContain("what is?");
	const forked = await tau.run(["replay", "hostile.cassette", "--fork", "2", "go on"]);
	expect(forked).toMatchObject({ code: 0, err: "" });
	expect(readdirSync(elsewhere).filter((name) => name.includes("made-by-a-cassette"))).toEqual([]);
});

test("cassette make and tau bug take a session that was not recorded, show it first, and ask", async () => {
	const made = await tau.run(["cassette", "make", session, "made.cassette"]);
	expect(made.code).toBe(0);
	expect((await offline(["replay", "made.cassette"])).out).toContain("It says hello, and that is all.");
	const shown = await tau.run(["bug", session, "--output", "bug.cassette"]);
	expect(shown.code).toBe(1);
	expect(shown.out).toMatch(/^Tau +0\./m);
	expect(shown.out).toMatch(/^masked +Anthropic/im);
	expect(shown.out).not.toContain(secret);
	expect(shown.err).toContain("nothing was written");
	expect(existsSync(join(tau.project, "bug.cassette"))).toBe(false);
	expect((await tau.run(["bug", session, "--output", "bug.cassette", "--yes"])).code).toBe(0);
	expect((await tau.run(["cassette", "show", "bug.cassette"])).out).toContain("requests   0");
});

test("/record begins in a running session, and writes when it is stopped", async () => {
	await using rpc = startRpc(tau);
	const run = async (args: string): Promise<string> => {
		const { data, error } = await rpc.ask({ type: "run_command", name: "record", args });
		return JSON.stringify(data ?? error);
	};
	expect(await run("")).toContain("Nothing is recorded.");
	expect(await run("stop")).toContain("Nothing is recorded.");
	expect(await run("a.txt")).toContain("is not a cassette, so it is not replaced");
	expect(await run("later.cassette")).toContain("Recording to");
	expect(await run("other.cassette")).toContain("Already recording to");
	await rpc.ask({ type: "prompt", message: "hi" });
	await rpc.until(isEvent("agent_end"));
	expect(await run("stop")).toContain("1 request recorded to");
	const { out } = await offline(["replay", "later.cassette"]);
	expect(out).toContain("> hi\n");
	expect(out).toContain("(done)");
});

test("a file that is no cassette is refused with its name", async () => {
	const refused = await tau.run(["replay", "a.txt"]);
	expect(refused).toMatchObject({ code: 2, out: "" });
	expect(refused.err).toContain("a.txt is not a cassette");
});

needs("tmux")("tau bug shows what it would write and asks: only y writes it", async () => {
	const env = Object.entries(tau.env).map(([name, value]) => `${name}=${value}`);
	const file = join(tau.project, "asked.cassette");
	const ask = async (answer: string): Promise<void> => {
		const command = ["env", "-i", ...env, "sh", "-c", '"$0" "$@"; echo "left with $?"; read _', tauProgram];
		using screen = new Tmux(100, 40, [...command, "bug", session, "--output", file], tau.project);
		await screen.until((rows) => rows.some((row) => /\by\/N\b/i.test(row)));
		expect(screen.rows().join("\n")).toMatch(/^masked/im);
		screen.keys(answer);
		screen.press("Enter");
		await screen.until((rows) => rows.some((row) => row.includes("left with")));
	};
	await ask("n");
	expect(existsSync(file)).toBe(false);
	await ask("y");
	expect(existsSync(file)).toBe(true);
});

needs("tmux")("watch draws the session, pauses with Escape, and seeks", async () => {
	const env = Object.entries(tau.env).map(([name, value]) => `${name}=${value}`);
	const command = ["env", "-i", ...env, tauProgram, "replay", "demo.cassette", "--speed", "0.1"];
	using screen = new Tmux(100, 30, command, tau.project);
	await screen.until((rows) => rows.some((row) => row.includes("what is in a.txt?")));
	screen.press("Escape");
	await screen.until((rows) => rows.some((row) => row.includes("Paused at 0.1x")));
	screen.keys("/seek 2");
	screen.press("Enter");
	await screen.until((rows) => rows.some((row) => row.includes("Paused at 0.1x · answer 1 of 2")));
	expect(screen.rows().join("\n")).not.toContain("It says hello");
	screen.keys("/speed 1000");
	screen.press("Enter");
	await screen.until((rows) => rows.some((row) => row.includes("at 1000x")));
	screen.keys("/pause");
	screen.press("Enter");
	await screen.until((rows) => rows.some((row) => row.includes("It says hello, and that is all.")));
});
