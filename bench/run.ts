/** Runs all benchmarks, prints them, and fails when one is over its budget, or worse than in the last release. */
import { besideRelease } from "./beside-release.ts";
import type { Build } from "./release.ts";
import { isOver, isWorse, report, type Row } from "./report.ts";

/** With `--peers`, other programs are installed and measured beside; with words, only what has one of them in its title. */
const words = process.argv.slice(2).filter((word) => !word.startsWith("--"));
const withPeers = process.argv.includes("--peers");
/** `--beside=REF` compares with another commit than the last release, and `--beside=` with none. */
const beside = process.argv.find((word) => word.startsWith("--beside="))?.slice("--beside=".length);

let built: Promise<Build | undefined> | undefined;

/** Built before the first group that it is measured for. */
async function release(): Promise<Build | undefined> {
	if (beside === "") return undefined;
	return await (built ??= import("./release.ts").then(({ releasedBuild }) => releasedBuild(beside)));
}

let factor: Promise<number> | undefined;

/** Measured once, and printed: every time that has no counterpart in the release is judged by it. */
async function slower(): Promise<number> {
	return await (factor ??= measureSlowness());
}

async function measureSlowness(): Promise<number> {
	const build = await release();
	if (!build) return 1;
	const { slowness } = await import("./this-machine.ts");
	const times = await slowness(build);
	process.stdout.write(`This machine takes ${times.toFixed(2)} times as long as that of the budgets.\n`);
	return times;
}

// A system counts the peak of the parent into the peak of a child: what starts children stands first, and the rest,
// which grows, is not even loaded before.
const benchmarks: [title: string, run: () => Promise<Row[]>][] = [
	["Start-up", async () => (await import("./start-up.ts")).startUp(await release())],
	["Print mode", async () => (await import("./print-mode.ts")).printMode(await release())],
	["Statistics", async () => (await import("./stats.ts")).statistics()],
	["Interactive mode", async () => (await import("./tui.ts")).interactive(withPeers, await release())],
	["Editors", async () => (await import("./acp.ts")).editors(withPeers)],
	["MCP servers", async () => (await import("./mcp.ts")).mcp()],
	["Language servers", async () => (await import("./lsp.ts")).languageServers()],
	["Clients", async () => (await import("./clients.ts")).clients()],
	["Attached terminals", async () => (await import("./attached.ts")).attached()],
	["Fleet", async () => (await import("./fleet.ts")).fleets()],
	["Rooms", async () => (await import("./rooms.ts")).rooms()],
	["Relay", async () => (await import("./relay.ts")).relays()],
	["The page of tau web", async () => (await import("./web.ts")).page()],
	["Gateway", async () => (await import("./gateway.ts")).gateways()],
	["Agents", async () => (await import("./agents.ts")).agents()],
	["Cells", async () => (await import("./eval.ts")).cells()],
	["Debugging", async () => (await import("./debug.ts")).debugging()],
	["Browser", async () => (await import("./browser.ts")).browsing()],
	["Latency", async () => (await import("./latency.ts")).latency()],
	["Extensions", async () => (await import("./extensions.ts")).extensions()],
	["Stream rules", async () => (await import("./rules.ts")).streamRules()],
	["Shell commands", async () => (await import("./shell.ts")).shell()],
	["Other machines", async () => (await import("./ssh.ts")).ssh()],
	["Sandbox", async () => (await import("./sandbox.ts")).sandbox()],
	["Isolation", async () => (await import("./isolation.ts")).isolation()],
	["Session log", async () => (await import("./session-log.ts")).sessionLog()],
	["Cassettes", async () => (await import("./cassettes.ts")).cassettes()],
	["Rewind", async () => (await import("./rewind.ts")).rewinding()],
	["Search", async () => (await import("./search.ts")).searching()],
	["Discovery", async () => (await import("./discovery.ts")).discovery()],
	["Reading", async () => (await import("./read.ts")).reading()],
	["A long session", async () => (await import("./long-session.ts")).longSession()],
	["Long conversations", async () => (await import("./context.ts")).context()],
	["Memory", async () => (await import("./memory.ts")).memory()],
	["Recall of memory", async () => (await import("./recall/recall.ts")).recall()],
	["Terminal", async () => (await import("./tui-frame.ts")).tuiFrame()],
	["Edits of a large file, in process", async () => (await import("./edit.ts")).editing()],
	["Judging commands, in process", async () => (await import("./commands.ts")).commandJudging()],
	["Web pages", async () => (await import("./reader.ts")).readers()],
	["Diffs, in process", async () => (await import("./diff.ts")).diffs()],
	["Decoding an answer, in process", async () => (await import("./decode.ts")).decoding()],
	["Markdown, drawn while it comes", async () => (await import("./markdown.ts")).markdown()],
];

for (const [title, run] of benchmarks) {
	if (words.length > 0 && !words.some((word) => title.toLowerCase().includes(word.toLowerCase()))) continue;
	const measured = await besideRelease(title, run, await release()).catch((error: unknown) => {
		process.stderr.write(`bench: ${title} could not be measured: ${Bun.inspect(error)}\n`);
		process.exitCode = 1;
	});
	if (!measured) continue;
	const { onThisMachine } = await import("./this-machine.ts");
	const rows = onThisMachine(measured, await slower());
	process.stdout.write(report(title, rows));
	if (rows.some((row) => isOver(row) || isWorse(row))) process.exitCode = 1;
}
