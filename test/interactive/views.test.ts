/** Every view of the program at 40, 80 and 120 columns: no row is too wide, and each list names the key that leaves. */
// takes 22 s
import { expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../support/needs.ts";
import { launch, root, type Launched } from "../support/launch.ts";
import { openTau, type OpenTau } from "./driver.ts";

const call = (name: string, args: Record<string, unknown>) => ({
	answer: { blocks: [{ toolCall: { name, arguments: args } }] },
});

const long = "that is far too long for a single row of any terminal that people use for their daily work";
const code = `export const answer = 41; // a comment ${long}\nexport function same(x: number): number {\n\treturn x;\n}\n`;
const steps = [
	call("write", { path: "src/a.ts", content: code }),
	call("edit", { path: "src/a.ts", edits: [{ oldText: "41", newText: "42" }] }),
	call("bash", { command: `for i in $(seq 1 60); do echo "line $i ${long}"; done; exit 3` }),
	call("bash", { command: "sleep 300", async: true }),
	call("todo", {
		ops: [
			{ op: "init", list: [{ phase: `Build the house ${long}`, items: [`dig a hole ${long}`, "wall"] }] },
		],
	}),
	call("ask", {
		questions: [
			{
				question: `Which color should it have, a color ${long}?`,
				options: [
					{ label: "Red", description: `a color ${long}` },
					{ label: `Blue ${long}`, description: "calm" },
				],
			},
		],
	}),
	`# A heading ${long}\n\n\`\`\`ts\n${code}\`\`\`\n\n| a | b |\n|---|---|\n| ${long} | ${long} |\n\nThe end.`,
];

/** What a command shows, unless it only prints a sentence or starts something else. */
interface View {
	shows: RegExp;
	/** Escape closes it; twice if there is a search. */
	escapes?: 1 | 2;
}

const views: Readonly<Record<string, View>> = {
	help: { shows: /── Commands/, escapes: 1 },
	"help model": { shows: /Select a model/ },
	hotkeys: { shows: /── Keys/, escapes: 1 },
	status: { shows: /settings +defaults/ },
	session: { shows: /cache\s+write/ },
	debug: { shows: /tau\s+doctor/ },
	context: { shows: /── Context/, escapes: 1 },
	lsp: { shows: /No language server/ },
	debugger: { shows: /debugg/i },
	cost: { shows: /turns +cost/ },
	usage: { shows: /Not logged in to a\s+subscription/ },
	browser: { shows: /browser is not\s+running/ },
	machine: { shows: /machine/i },
	memory: { shows: /memor/i },
	todo: { shows: /1 ▸ dig/ },
	changelog: { shows: /more rows in CHANGELOG\.md/ },
	sandbox: { shows: /Unix\s+sockets:\s+refused/ },
	hooks: { shows: /No hooks are configured/ },
	skills: { shows: /No skills found/ },
	"add-dir nowhere": { shows: /is not a directory/ },
	"import nosuch.jsonl": { shows: /does not\s+exist/ },
	"export nowhere/x.html": { shows: /Cannot write/ },
	compact: { shows: /❯ \/compact\s+· Nothing to\s+compact/ },
	nosuch: { shows: /Unknown command/ },
	doctor: { shows: /── Doctor/, escapes: 1 },
	model: { shows: /── Model/, escapes: 1 },
	"model sonnet": { shows: /── Model/, escapes: 2 },
	"scoped-models": { shows: /cycle through/, escapes: 1 },
	settings: { shows: /── Settings/, escapes: 1 },
	"settings theme": { shows: /The color theme/, escapes: 2 },
	theme: { shows: /meadow/, escapes: 1 },
	login: { shows: /── Log in/, escapes: 1 },
	"login anthropic": { shows: /copy URL/, escapes: 1 },
	resume: { shows: /── Sessions/, escapes: 1 },
	tree: { shows: /── Tree/, escapes: 1 },
	fork: { shows: /── Fork/, escapes: 1 },
	diff: { shows: /── Changed files/, escapes: 1 },
	jobs: { shows: /── Background jobs|── Jobs/, escapes: 1 },
	agents: { shows: /── Agents/, escapes: 1 },
	"agents types": { shows: /explore/, escapes: 1 },
	tools: { shows: /── Tools/, escapes: 1 },
	commands: { shows: /── Commands/, escapes: 1 },
	find: { shows: /── Find/, escapes: 1 },
	copy: { shows: /── Copy/, escapes: 1 },
	trust: { shows: /Trust this\s+project/, escapes: 1 },
	mode: { shows: /Approval mode/, escapes: 1 },
	stats: { shows: /\d calls? .*failed/ },
	"todo edit": { shows: /discard/, escapes: 1 },
};

/** Commands whose only output is a sentence, or that leave the session. */
const others = new Set(
	"add-dir ask remember branch btw cd clear clone collab comment commit compact detach dump exit export feedback fleet goal handoff ide import init join label leave logout mcp name new output-style permissions plan record reload retry review rewind schedule share task thinking unshare worktree".split(
		" ",
	),
);

test("every command has its place in this test", () => {
	const shown = new Set([...Object.keys(views).map((name) => name.split(" ")[0] ?? ""), ...others]);
	// The page is generated from the table of commands.
	const page = readFileSync(join(root, "docs/commands.md"), "utf8");
	const names = [...page.matchAll(/^\| `\/([\w-]+)/gm)].map(([, name = ""]) => name);
	expect(names.length).toBeGreaterThan(40);
	expect(names.filter((name) => !shown.has(name))).toEqual([]);
});

needs("git").each([
	[40, 24],
	[80, 24],
	[120, 40],
])(
	"at %d columns nothing is cut by the edge of the screen",
	async (cols, rows) => {
		await using home = await launch({ steps });
		makeRepository(home);
		const env = { TAU_DEBUG_REDRAW: "1", TAU_LOG_LEVEL: "debug" };
		await using tau = await openTau({ steps: [] }, { home, cols, rows, env, args: ["--trust"] });
		await tau.until("played-1");
		tau.type("?");
		await tau.until("key closes this");
		expect(tau.screen()).toContain("Write");
		tau.press("escape");
		await tau.until("Ask anything");
		tau.type(`build a house ${long}\r`);
		// It has the keys at once, unless somebody has just typed.
		await tau.until(/ctrl\+x to answer|to select/);
		if (tau.screen().includes("ctrl+x to answer")) tau.press("ctrlX");
		await tau.until("2. Blue that is far too long");
		expect(tau.screen().replaceAll(/\s+/g, " ")).toContain(`2. Blue ${long} calm`);
		await tau.untilGone("ctrl+x to answer");
		await exitNamed(tau);
		tau.press("enter");
		await tau.until("The end.");
		await tau.untilGone("esc to interrupt");
		tau.press("ctrlO");
		await tau.until("tool output: shown");
		tau.press("ctrlO");
		for (const [name, view] of Object.entries(views)) await visit(tau, name, view);
		await visitOthers(tau);
		expect(cutRows(home)).toEqual([]);
	},
	180_000,
);

test.each([40, 80, 120])(
	"at %d columns the questions of the first start are complete",
	async (cols) => {
		const env = { TAU_DEBUG_REDRAW: "1", TAU_LOG_LEVEL: "debug" };
		await using fresh = await launch({ steps: [] });
		writeFileSync(join(fresh.agentDir, "models.yml"), "");
		await using wizard = await openTau({ steps: [] }, { home: fresh, cols, env, anyModel: true });
		await wizard.until(/to\s+cancel/);
		const flat = (tau: OpenTau): string => tau.screen().replaceAll(/\s+/g, " ");
		expect(flat(wizard)).toContain("Try the demo works offline, no key needed; or just start typing");
		wizard.press("down", "enter");
		await wizard.until("esc close");
		wizard.press("enter");
		await wizard.until(/esc /);
		expect(cutRows(fresh)).toEqual([]);
		await using home = await launch({ steps: [] });
		const extensions = join(home.project, ".tau/extensions");
		mkdirSync(extensions, { recursive: true });
		writeFileSync(join(extensions, `${"a-name-".repeat(12)}.ts`), "export default () => {};");
		await using tau = await openTau({ steps: [] }, { home, cols, env });
		await tau.until(/to\s+cancel/);
		expect(flat(tau)).toContain("Not now don't load it; ask again next time");
		expect(flat(tau)).toContain("No don't load it, and don't ask again");
		expect(cutRows(home)).toEqual([]);
	},
	180_000,
);

async function visit(tau: OpenTau, name: string, { shows, escapes }: View): Promise<void> {
	await tau.until(/Ask anything/);
	tau.type(`/${name}\x1b`);
	await tau.untilDrawn(() => tau.screen().includes(`/${name.slice(0, 20)}`), `showed /${name}`);
	tau.press("enter");
	await tau.until(shows);
	if (name === "nosuch") tau.press("ctrlC");
	if (escapes === undefined) return;
	await exitNamed(tau);
	for (let times = 0; times < escapes; times++) {
		const before = tau.screen();
		tau.press("escape");
		await tau.untilDrawn(() => tau.screen() !== before, `closed /${name}`);
	}
}

async function visitOthers(tau: OpenTau): Promise<void> {
	await tau.until("Ask anything");
	tau.type("\x12");
	await tau.until("Earlier prompts");
	await exitNamed(tau);
	tau.press("escape");
	await tau.until("Ask anything");
	tau.type("/mu-tools\r");
	await tau.until("Tool results");
	expect(tau.screen()).toContain("q close");
	tau.press("enter");
	await tau.until("q back");
	tau.type("qq");
	await tau.until("Ask anything");
	tau.type("!false\r");
	await tau.until("false exit 1");
}

/** The key that leaves is named wherever keys are, however narrow the screen. */
function exitNamed(tau: OpenTau): Promise<void> {
	return tau.until(/\besc\b/);
}

function makeRepository({ project, env }: Launched): void {
	const git = (...args: string[]) =>
		Bun.spawnSync(["git", "-c", "user.name=t", "-c", "user.email=t@t", ...args], { cwd: project, env });
	git("init", "-b", "feature/a-branch-with-a-long-name");
	writeFileSync(join(project, "f.txt"), "a\n");
	git("add", ".");
	git("commit", "-m", "first");
	writeFileSync(join(project, "f.txt"), `a line ${long}\n`);
}

function cutRows({ home }: Launched): string[] {
	const logs = join(home, ".tau/logs");
	const lines = readdirSync(logs).flatMap((name) => readFileSync(join(logs, name), "utf8").split("\n"));
	return [...new Set(lines.filter((line) => line.includes("a row was cut")))];
}
