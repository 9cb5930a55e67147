/** The condensed transcript, as the user sees it, while the model gets everything. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { model, startRpc } from "../rpc/rpc-process.ts";
import { launch, type Launched } from "../support/launch.ts";
import { openTau, type OpenOptions, type OpenTau } from "./driver.ts";

/** A command that runs until the test releases it. */
const waits = { name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.05; done; echo let-go" } };
const altO = "\x1bo";

const bash = (command: string) => ({ toolCall: { name: "bash", arguments: { command } } });
const lookup = { toolCall: { name: "lookup", arguments: { query: "foo", limit: 5 } } };

/** A home with an extension whose tool returns a long text. */
async function withLookup(steps: Parameters<typeof launch>[0]["steps"]): Promise<Launched> {
	const home = await launch({ steps });
	writeFileSync(
		join(home.project, "lookup.ts"),
		`import { Type } from "typebox";
		export default function (pi) {
			pi.registerTool({
				name: "lookup", label: "Lookup", description: "Looks something up",
				parameters: Type.Object({ query: Type.String(), limit: Type.Number() }),
				execute: async () => ({ content: [{ type: "text", text: Array.from({ length: 40 }, (_, at) => "found line " + (at + 1)).join("\\n") }] }),
			});
		}`,
	);
	return home;
}

async function open(home: Launched, options: OpenOptions = {}): Promise<OpenTau> {
	const tau = await openTau({ steps: [] }, { home, ...options });
	await tau.until("played-1");
	return tau;
}

const body = (home: Launched, at: number): string => JSON.stringify(home.played.requests.at(at)?.body);

/** The colors in which the sign of a running call was drawn. */
function shadesOf(bytes: string): Set<string | undefined> {
	return new Set([...bytes.matchAll(/\x1b\[(38;[\d;]+)m●/g)].map(([, shade]) => shade));
}

test("a running call is one line that pulses, and a static one with its time when it is done", async () => {
	await using tau = await openTau(
		{ steps: [{ answer: { blocks: [{ toolCall: waits }] } }, "Done."] },
		{ env: { COLORTERM: "truecolor" } },
	);
	await tau.until("played-1");
	const before = tau.bytes.length;
	tau.type("begin\r");
	await tau.until(/● bash \$ until .* [1-9]s/);
	expect(shadesOf(tau.bytes.slice(before)).size).toBeGreaterThan(2);
	writeFileSync(join(tau.home.project, "go"), "");
	await tau.until("Done.");
	expect(tau.screen()).toMatch(/✓ bash \$ until .* \d+\.\ds/);
	expect(tau.screen()).not.toContain("\n   let-go");
	const rest = tau.bytes.length;
	tau.type("x");
	await tau.until(/x/);
	expect(tau.bytes.slice(rest)).not.toContain("●");
});

const still: Readonly<Record<string, OpenOptions>> = {
	"without truecolor": { env: { COLORTERM: "", TERM: "xterm-256color" } },
	"with motion off": { env: { COLORTERM: "truecolor" }, settings: "ui:\n  motion: off\n" },
};

for (const [how, options] of Object.entries(still))
	test(`${how} the line of a running call is static, and its time continues`, async () => {
		await using tau = await openTau(
			{ steps: [{ answer: { blocks: [{ toolCall: waits }] } }, "Done."] },
			options,
		);
		await tau.until("played-1");
		tau.type("begin\r");
		await tau.until(/● bash \$ until .* [1-9]s/);
		// The sign of the line, and that of the status line below, which is static too.
		expect(shadesOf(tau.bytes).size).toBeLessThanOrEqual(2);
		writeFileSync(join(tau.home.project, "go"), "");
		await tau.until("Done.");
	});

test("a result of an extension's tool is short on the screen and complete for the model, also after a restart", async () => {
	await using home = await withLookup([
		{ answer: { blocks: [lookup] } },
		"Looked up.",
		"Still known.",
		"Known in print mode.",
	]);
	const args = ["-e", "lookup.ts"];
	{
		await using tau = await open(home, { args });
		tau.type("look it up\r");
		await tau.until("Looked up.");
		expect(tau.screen()).toContain("✓ lookup query: foo, limit: 5");
		expect(tau.screen()).not.toContain("found line");
		expect(body(home, -1)).toContain("found line 40");
		tau.press("ctrlO");
		await tau.until("found line 30");
		tau.press("ctrlO");
		await tau.untilGone("found line");
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	}
	{
		await using tau = await open(home, { args: [...args, "-c"] });
		expect(tau.screen()).toContain("✓ lookup query: foo, limit: 5");
		expect(tau.screen()).not.toContain("found line");
		tau.type("and now\r");
		await tau.until("Still known.");
		expect(body(home, -1)).toContain("found line 40");
		expect(body(home, -1)).not.toContain("(query:");
		tau.press("ctrlD");
		expect(await tau.exited).toBe(0);
	}
	// Without a screen, and without the extension that had the tool.
	const printed = await home.run(["-p", "-c", "--model", "played/played-1", "and in print"]);
	expect(printed.out).toContain("Known in print mode.");
	expect(body(home, -1)).toContain("found line 40");
});

test("a session with shortened results is complete for the model with mu disabled, and in the full transcript", async () => {
	await using home = await withLookup([
		{ answer: { blocks: [lookup] } },
		"Looked up.",
		"Again.",
		"Once more.",
	]);
	{
		await using tau = await open(home, { args: ["-e", "lookup.ts"] });
		tau.type("look it up\r");
		await tau.until("Looked up.");
	}
	{
		await using tau = await open(home, { args: ["-c"], settings: "transcript: full\n" });
		expect(tau.scrollback()).toContain("found line 20");
		tau.type("and now\r");
		await tau.until("Again.");
		expect(body(home, -1)).toContain("found line 40");
	}
	await using tau = await open(home, { args: ["-c"], settings: "disabledExtensions: [mu]\n" });
	tau.type("once more\r");
	await tau.until("Once more.");
	expect(body(home, -1)).toContain("found line 40");
});

test("an old session is complete for a prompt on the command line, and for a client over RPC", async () => {
	await using home = await withLookup([
		{ answer: { blocks: [lookup] } },
		"Looked up.",
		"Again.",
		"Over RPC.",
	]);
	{
		await using tau = await open(home, { args: ["-e", "lookup.ts"] });
		tau.type("look it up\r");
		await tau.until("Looked up.");
	}
	{
		await using tau = await openTau({ steps: [] }, { home, args: ["-c", "and at once"] });
		await tau.until("Again.");
		expect(body(home, -1)).toContain("found line 40");
	}
	await using client = startRpc(home, [...model, "-c"]);
	await client.ask({ type: "prompt", message: "and from afar" });
	await client.until(({ type }) => type === "agent_end");
	expect(body(home, -1)).toContain("and from afar");
	expect(body(home, -1)).toContain("found line 40");
});

test("a reload, a move in the tree and a fork lose nothing of a shortened result", async () => {
	await using home = await withLookup([{ answer: { blocks: [lookup] } }, "One.", "Two.", "Three.", "Four."]);
	await using tau = await open(home, { args: ["-e", "lookup.ts"] });
	tau.type("look it up\r");
	await tau.until("One.");
	tau.type("/reload\r");
	await tau.until("Reloaded settings");
	expect(tau.screen()).toContain("✓ lookup query: foo, limit: 5");
	expect(tau.screen()).not.toContain("found line");
	tau.type("on\r");
	await tau.until("Two.");
	expect(body(home, -1)).toContain("found line 40");
	tau.type("/tree\r");
	await tau.until("← here");
	tau.press("up", "up");
	await tau.until(/❯ .*assistant: One\./);
	tau.press("enter");
	await tau.untilGone("← here");
	tau.type("elsewhere\r");
	await tau.until("Three.");
	expect(body(home, -1)).toContain("found line 40");
	expect(body(home, -1)).not.toContain("Two.");
	tau.type("/fork\r");
	await tau.until("Fork the session");
	tau.press("enter");
	await tau.untilGone("Fork the session");
	tau.type("in the fork\r");
	await tau.until("Four.");
	expect(body(home, -1)).toContain("found line 40");
});

test("an abandoned branch is summarized from complete tool results", async () => {
	await using home = await withLookup([{ answer: { blocks: [lookup] } }, "One.", "It was about lines."]);
	const settings = "branchSummary:\n  enabled: true\nsessionTitle: false\n";
	await using tau = await open(home, { args: ["-e", "lookup.ts"], settings });
	tau.type("look it up\r");
	await tau.until("One.");
	tau.type("/rewind\r");
	await tau.until("Rewind to before a message");
	tau.press("enter");
	await tau.until("Summarize the branch you are leaving?");
	tau.press("down", "enter");
	await tau.until("summary of the other branch");
	expect(body(home, -1)).toContain("found line 40");
	expect(body(home, -1)).not.toContain("(query:");
});

test("the setting changes the look of what is on the screen already, and back", async () => {
	await using tau = await openTau({
		steps: [{ answer: { blocks: [bash("printf 'one\\ntwo\\n'")] } }, "Done."],
	});
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Done.");
	expect(tau.screen()).not.toContain("   one\n   two");
	tau.type("/settings\r");
	await tau.until("── Settings");
	tau.type("transcript");
	await tau.until(/❯ (?:Screen +)?Tool calls are shown\s+condensed/);
	tau.press("enter");
	await tau.until("❯ ● condensed");
	tau.press("down", "enter");
	await tau.until("Set transcript to full");
	// The settings have scrolled it off the screen.
	await tau.untilFiles(() => tau.scrollback().includes("\n   one\n   two\n"));
	tau.press("enter");
	await tau.until("❯ ● full");
	tau.press("up", "enter");
	await tau.until("Set transcript to condensed");
	await tau.untilFiles(() => !tau.scrollback().includes("\n   one\n   two\n"));
});

test("disabled by its name or by the setting, results are shown and nothing is shortened", async () => {
	for (const settings of ["disabledExtensions: [mu]\n", "transcript: full\n"]) {
		await using home = await withLookup([
			{ answer: { blocks: [lookup, bash("printf 'one\\ntwo\\n'")] } },
			"Looked up.",
		]);
		await using tau = await open(home, { args: ["-e", "lookup.ts"], settings, rows: 60 });
		tau.type("look it up\r");
		await tau.until("Looked up.");
		expect(tau.screen()).toContain("found line 20\n   … 20 more lines");
		expect(tau.screen()).toContain("   one\n   two");
	}
});

test("the same call several times at once is one line that counts them", async () => {
	await using tau = await openTau({
		steps: [{ answer: { blocks: [bash("echo same"), bash("echo same"), bash("echo other")] } }, "Done."],
	});
	await tau.until("played-1");
	tau.type("go\r");
	await tau.until("Done.");
	expect(tau.screen()).toContain("✓ bash ×2 $ echo same\n ✓ bash $ echo other");
});

test("/mu-tools lists tool results, shows each completely, and is navigated with vim's keys", async () => {
	await using home = await withLookup([
		{ answer: { blocks: [bash("echo alpha; exit 3")] } },
		{ answer: { blocks: [lookup] } },
		"Both done.",
	]);
	await using tau = await open(home, { args: ["-e", "lookup.ts"] });
	tau.type("go\r");
	await tau.until("Both done.");
	tau.type("/mu-tools \r");
	await tau.until("Tool results");
	expect(tau.screen()).toMatch(/❯ ✓ lookup query: foo, limit: 5[\s\S]*✗ bash \$ echo alpha; exit 3/);
	tau.press("enter");
	await tau.until("found line 10");
	expect(tau.screen()).toContain("query: foo");
	tau.type("G");
	await tau.until("found line 40");
	tau.type("g");
	await tau.until("✓ done");
	tau.type("n");
	await tau.until("exit 3");
	expect(tau.screen()).toContain("alpha");
	tau.type("p");
	await tau.until("found line 1");
	tau.type("q");
	await tau.until("Tool results");
	tau.type("/alph");
	await tau.untilGone("lookup");
	tau.press("enter");
	tau.press("enter");
	await tau.until("exit 3");
	tau.type("q");
	await tau.until("Tool results");
	tau.press("escape");
	await tau.until("lookup query");
	tau.press("escape");
	await tau.untilGone("Tool results");
	expect(tau.screen()).toContain("Both done.");
	tau.type(altO);
	await tau.until("found line 10");
});

test("the viewer fits forty columns", async () => {
	await using home = await withLookup([{ answer: { blocks: [lookup] } }, "Done."]);
	await using tau = await open(home, { args: ["-e", "lookup.ts"], cols: 40, rows: 12 });
	tau.type("go\r");
	await tau.until("Done.");
	tau.type("/mu-tools \r");
	await tau.until("Tool results");
	expect(tau.screen()).toContain("❯ ✓ lookup query: foo, limit: 5");
	tau.press("enter");
	await tau.until("found line 4");
	expect(tau.screen()).toContain("q back");
});

test("tau doctor lists what ships with Tau, and which of it is disabled", async () => {
	await using home = await launch({ steps: [] });
	expect((await home.run(["doctor"])).out).toMatch(/mu\s+builtin/);
	writeFileSync(join(home.agentDir, "config.yml"), "disabledExtensions: [mu]\n");
	expect((await home.run(["doctor"])).out).toMatch(/builtin:mu>.*disabled/);
});
