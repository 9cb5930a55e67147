/** `tau replay`: watches a recording, verifies it, or continues from it. */
import { join } from "node:path";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";

import {
	describe,
	forkAt,
	framesOf,
	Player,
	readCassette,
	timelineOf,
	type Cassette,
	type Timeline,
} from "@tau/cassette";
import { log, UsageError } from "@tau/utils";
import { Replica } from "@tau/wire";
import { RemoteSession } from "@tau/wire/remote";

import { TranscriptLines } from "../../../modes/lines/transcript-lines.ts";
import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { FlagName } from "../../flags.ts";
import { isInteractive } from "../../launch/is-interactive.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine } from "../sessions/output.ts";

const usage = "Usage: tau replay <file.cassette…> [--verify | --fork n [prompt]]";

export async function runReplay(args: Args): Promise<number> {
	const [file, ...rest] = args.operands;
	if (file === undefined) throw new UsageError(usage);
	if (args.flags.has("verify") && args.flags.has("fork"))
		throw new UsageError("--verify and --fork cannot be combined.");
	if (args.flags.has("junit") && !args.flags.has("verify")) throw new UsageError("--junit is for --verify.");
	if (args.flags.has("verify")) {
		const { verifyFiles } = await import("./verify.ts");
		return await verifyFiles(args, args.operands);
	}
	if (args.flags.has("fork")) return await fork(args, readCassette(file), rest.join(" "));
	const isPage = args.flags.has("web") || args.flags.has("output");
	if (isPage && rest.length === 0) return await play(args, readCassette(file));
	const speed = speedIn(args);
	const isData = args.flags.has("json") || isJson(args);
	if (!isPage && (isData || !isInteractive(args))) return await printFiles(args.operands, isData);
	if (rest.length > 0) throw new UsageError("A terminal or a page plays one recording at a time.");
	return await watch(args, readCassette(file), speed);
}

/** One after the other; fails if one of them does. */
async function printFiles(files: readonly string[], isData: boolean): Promise<number> {
	let code: number = exitCodes.answered;
	for (const file of files) {
		const cassette = readCassette(file);
		code = (await printAll(cassette, await timelineOf(cassette), isData)) || code;
	}
	return code;
}

async function play(args: Args, cassette: Cassette): Promise<number> {
	using interruption = onInterrupt();
	const { playInBrowser } = await import("./replay-page.ts");
	return await playInBrowser(args, cassette, await timelineOf(cassette), interruption.signal);
}

async function watch(args: Args, cassette: Cassette, speed: number): Promise<number> {
	using interruption = onInterrupt();
	const timeline = await timelineOf(cassette);
	const { attachInteractive } = await import("../../launch/attach-interactive.ts");
	using player = new Player(cassette, timeline, speed);
	using client = await RemoteSession.join({
		transport: player,
		name: "viewer",
		kinds: [],
		onBadFrame: (error) => log.warn("a frame of a recording could not be used", { reason: String(error) }),
		signal: interruption.signal,
	});
	return await attachInteractive(args, client, interruption, {
		guest: {
			exportTo: async () => {
				throw new Error("A recording is a file already.");
			},
		},
		onScreen: (show) => show("A recording. Esc pauses it; /speed 4, /seek 3 and /pause control it."),
		words: { lost: (reason) => reason, back: "", last: () => "Left the recording." },
	});
}

/** At once, for pipes and programs. Fails if this program does not read the recording as it was written. */
async function printAll(cassette: Cassette, timeline: Timeline, isData: boolean): Promise<number> {
	const out = processOutput(process.stdout, () => {});
	const replica = new Replica();
	const lines = new TranscriptLines((text) => void out.write(text));
	using _ = isData ? undefined : replica.subscribe((event) => lines.event(event));
	for (const frame of framesOf(cassette, timeline)) {
		if (isData) await out.write(jsonLine(frame));
		else replica.take(frame);
	}
	const problem = await out.settled();
	if (problem) printError(`cannot write the output: ${problem.message}`);
	for (const drift of timeline.drift)
		printError(`This Tau reads the recording differently: ${describe(drift)}`);
	return problem || timeline.drift.length > 0 ? exitCodes.failed : exitCodes.answered;
}

/** The beginning becomes a session of its own, which continues like any other. */
async function fork(args: Args, cassette: Cassette, prompt: string): Promise<number> {
	const cwd = process.cwd();
	const step = Number(args.flags.get("fork"));
	const start = forkPoint(cassette, step, cwd);
	using directory = new DisposableStack();
	const place = mkdtempSync(join(tmpdir(), "tau-fork-"));
	directory.defer(() => rmSync(place, { recursive: true, force: true }));
	const file = join(place, "fork.jsonl");
	writeFileSync(file, start.lines.map((line) => `${line}\n`).join(""), { mode: 0o600 });
	const flags = new Map<FlagName, string>([...args.flags, ["fork", file]]);
	// Before the first answer there is nothing to continue.
	if (start.lines.length === 1) flags.delete("fork");
	const { command: _, ...others } = args;
	const said = prompt === "" ? (start.prompt ?? "Continue.") : prompt;
	const again: Args = { ...others, flags, operands: [], messages: [said] };
	if (isInteractive(again)) {
		const { runInteractive } = await import("../../launch/run-interactive.ts");
		return await runInteractive(again);
	}
	const { launch } = await import("../../launch/launch.ts");
	return await launch(again);
}

function forkPoint(cassette: Cassette, step: number, cwd: string): ReturnType<typeof forkAt> {
	try {
		return forkAt(cassette, step, cwd);
	} catch (error) {
		throw new UsageError(`--fork: ${error instanceof Error ? error.message : String(error)}`);
	}
}

function speedIn({ flags }: Args): number {
	const text = flags.get("speed") ?? "1";
	const speed = Number(text.replace(/x$/, ""));
	if (!(speed > 0)) throw new UsageError(`--speed ${text}: give a number above 0, such as 4.`);
	return speed;
}
