/** What language servers cost: nothing before they are used, little after an edit, and once for all Tau in a project. */
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { playModel, type PlayedModel, type Step } from "@tau/ai/testing";

import { scripted } from "../test/support/lsp/scripted.ts";
import { ask, project, use } from "../test/support/lsp/project.ts";
import { ourselves } from "./contender.ts";
import { homeFor, modelName, tau, type Home } from "./home.ts";
import { median, Program } from "./program.ts";
import type { Row } from "./report.ts";

const launches = 9;
const edits = 20;
/** How long the scripted server takes to publish. */
const ownMs = 100;
const renamed = 200;
const opened = 60;
/** Servers start without being trusted first. */
const contained = { TAU_SANDBOX: "off", TAU_CONTAINER: "bench" };
const modules = join(import.meta.dir, "../node_modules");

export async function languageServers(): Promise<Row[]> {
	const { ms, mb } = await launching();
	const typescript = await editGaps(typescriptProject);
	const [without, late] = [
		await editGaps(scriptedProject([], false)),
		await editGaps(scriptedProject([`late=${ownMs}`], true)),
	];
	const { guestMB, unsharedMB } = await sharing();
	const rename = await renaming();
	const [small, large] = [await opening(100), await opening(10_000)];
	return [
		{
			name: "launch in a project with servers, over one with lsp.enabled: false",
			value: ms,
			unit: "ms",
			budget: 5,
		},
		{ name: "memory after that", value: mb, unit: "MB", budget: 2 },
		{
			name: "an edit with the diagnostics of a warm TypeScript 7, to the next request",
			value: typescript,
			unit: "ms",
			budget: 50,
			beside: `${without.toFixed(1)} ms without`,
		},
		{
			name: "another server: an edit over the server's own time",
			value: late - without - ownMs,
			unit: "ms",
			budget: 20,
		},
		{
			name: "a second Tau that uses TypeScript 7 in the same project",
			value: guestMB,
			unit: "MB",
			budget: 5,
			beside: `${unsharedMB.toFixed(0)} MB if it starts its own`,
		},
		{ name: `a rename over ${renamed} files, shown and made`, value: rename, unit: "ms", budget: 1500 },
		{
			name: "opening a file in a project of 10,000 files over one of 100",
			value: large / small,
			unit: "x",
			budget: 1.5,
			beside: `${small.toFixed(1)} ms of CPU`,
		},
	];
}

/** With a project that would use servers, if anybody asked them. */
function typescriptProject({ project: directory }: Pick<Home, "project">): void {
	mkdirSync(join(directory, "node_modules/.bin"), { recursive: true });
	symlinkSync(join(modules, "typescript"), join(directory, "node_modules/typescript"));
	symlinkSync("../typescript/bin/tsc", join(directory, "node_modules/.bin/tsc"));
	writeFileSync(
		join(directory, "tsconfig.json"),
		'{ "compilerOptions": { "strict": true, "noEmit": true } }',
	);
	writeFileSync(join(directory, "a.ts"), "export const a: number = 0;\n");
}

function scriptedProject(modes: readonly string[], isOn: boolean): (home: Home) => void {
	return ({ env, project: directory }) => {
		writeFileSync(join(directory, "a.ts"), "export const a: number = 0;\n");
		const [row] = Object.values(scripted(...modes));
		configure(env, { enabled: isOn, servers: { scripted: { ...Object(row), files: { ".ts": "ts" } } } });
	};
}

function configure({ HOME = "" }: Readonly<Record<string, string>>, lsp: object): void {
	writeFileSync(join(HOME, ".tau/agent/config.yml"), JSON.stringify({ lsp }));
}

/** In turns, so that a busy machine is busy for both. */
async function launching(): Promise<{ ms: number; mb: number }> {
	await using played = await playModel({ steps: [], fallback: { answer: "Done." } });
	const samples: { ms: number; mb: number }[] = [];
	for (let round = -1; round < launches; round++) {
		const isOnFirst = round % 2 === 0;
		const [one, other] = [await launchOne(played, isOnFirst), await launchOne(played, !isOnFirst)];
		const [on, off] = isOnFirst ? [one, other] : [other, one];
		if (round >= 0) samples.push({ ms: on.ms - off.ms, mb: on.mb - off.mb });
	}
	return { ms: median(samples.map(({ ms }) => ms)), mb: median(samples.map(({ mb }) => mb)) };
}

async function launchOne(played: PlayedModel, enabled: boolean): Promise<{ ms: number; mb: number }> {
	using place = ourselves.start(played);
	configure(place.env, { enabled });
	typescriptProject({ project: place.cwd });
	const began = performance.now();
	await using program = new Program(place);
	await program.untilTyped("zqzq");
	return { ms: performance.now() - began, mb: program.residentMB() };
}

function call(name: string, args: Record<string, unknown>): Step {
	return { answer: { blocks: [{ toolCall: { name, arguments: args } }] } };
}

/** From one request of the model to the next, with an edit between them. */
async function editGaps(prepare: (home: Home) => void): Promise<number> {
	const calls = Array.from({ length: edits }, (_, at) =>
		call("edit", { path: "a.ts", edits: [{ oldText: `= ${at}`, newText: `= ${at + 1}` }] }),
	);
	const steps = [call("lsp", { action: "hover", path: "a.ts", line: 1 }), ...calls];
	await using played = await playModel({
		steps: [...steps, { answer: "Done." }],
		fallback: { answer: "Done." },
	});
	using home = homeFor(played);
	prepare(home);
	await using child = Bun.spawn([tau, "-p", "--model", modelName, "go"], {
		cwd: home.project,
		env: { ...process.env, ...home.env, ...contained, TAU_NO_TITLE: "1" },
		stdio: ["ignore", "ignore", "inherit"],
	});
	if ((await child.exited) !== 0) throw new Error("tau failed");
	const arrived = played.requests.slice(1, edits + 2).map(({ arrivedAt }) => arrivedAt);
	// The first edits start the server.
	return median(
		arrived
			.slice(1)
			.map((at, before) => at - (arrived[before] ?? Number.NaN))
			.slice(edits / 2),
	);
}

/** What one more Tau takes that has asked the server, over one that has only asked for its state. */
async function sharing(): Promise<{ guestMB: number; unsharedMB: number }> {
	const asks = call("lsp", { action: "diagnostics", path: "a.ts" });
	const status = call("lsp", { action: "status" });
	// The first one owns the server.
	const order = [asks, status, asks, status, asks, status, asks];
	const steps = order.flatMap((step) => [step, { answer: "endmark" }]);
	await using played = await playModel({ steps, fallback: { answer: "Done." } });
	using place = ourselves.start(played);
	typescriptProject({ project: place.cwd });
	const start = { ...place, env: { ...place.env, ...contained } };
	const programs: Program[] = [];
	await using owned = new AsyncDisposableStack();
	while (programs.length < order.length) {
		const program = owned.use(new Program(start));
		programs.push(program);
		await program.untilTyped("zqzq");
		await program.send("\x15go");
		await program.until("endmark");
	}
	// The garbage of the start is gone by then.
	await Bun.sleep(8000);
	const memory = programs.map((program) => program.treeMB());
	const idle = median(memory.filter((_, at) => order[at] === status));
	const [owner = Number.NaN, ...guests] = memory.filter((_, at) => order[at] === asks);
	return { guestMB: median(guests) - idle, unsharedMB: owner - idle };
}

async function renaming(): Promise<number> {
	const files = Array.from({ length: renamed }, (_, at) => [
		`f${at}.ts`,
		`import { shared } from "./a";\nexport const f${at} = shared + ${at};\n`,
	]);
	await using env = await project({ ...Object.fromEntries(files), "a.ts": "export const shared = 1;\n" });
	typescriptProject({ project: env.cwd });
	writeFileSync(join(env.cwd, "a.ts"), "export const shared = 1;\n");
	await ask(env, { action: "references", path: "a.ts", line: 1, symbol: "shared" });
	const began = performance.now();
	await ask(env, { action: "rename", path: "a.ts", line: 1, symbol: "shared", new_name: "common" });
	await use(env, "resolve", { action: "apply" });
	const ms = performance.now() - began;
	if (env.journal.entries.length !== renamed + 1) throw new Error("not all files were renamed");
	return ms;
}

/** Milliseconds of CPU for each of some files. */
async function opening(files: number): Promise<number> {
	const texts = Array.from({ length: files }, (_, at) => [`d${at % 100}/f${at}.tst`, `text ${at}\n`]);
	await using env = await project(Object.fromEntries(texts));
	await env.settings.set("lsp.servers", scripted("pull"), "session");
	await ask(env, { action: "diagnostics", path: "d0/f0.tst" });
	// By then the directories of the project are watched.
	await Bun.sleep(2000);
	const before = process.cpuUsage();
	for (let at = 1; at <= opened; at++) await ask(env, { action: "diagnostics", path: `d${at}/f${at}.tst` });
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000 / opened;
}
