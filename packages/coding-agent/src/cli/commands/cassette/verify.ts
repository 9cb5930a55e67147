/** `tau replay --verify`: the model's decisions are replayed, its tools run again in a copy of this directory. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import {
	answersOf,
	Deck,
	junit,
	linesOf,
	normalizer,
	promptsOf,
	readCassette,
	relocator,
	verified,
	type Cassette,
	type Check,
} from "@tau/cassette";
import { openSession } from "@tau/extensions/assembly";
import { isolate } from "@tau/machines/isolation";
import { startDate } from "@tau/session/behaviors";
import { localMachine } from "@tau/sys";
import { dirs, listen, plural, UsageError } from "@tau/utils";
import { knownSecrets, maskValue } from "@tau/utils/secrets";

import type { Args } from "../../args.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { FlagName } from "../../flags.ts";
import { openSettings } from "../../launch/load-settings.ts";
import { loadEnvironment, openParts } from "../../launch/session-parts.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { isJson, jsonLine, printed } from "../sessions/output.ts";

export async function verifyFiles(args: Args, files: readonly string[]): Promise<number> {
	using interruption = onInterrupt();
	const all: Check[] = [];
	for (const file of files) {
		const checks = await verify(args, readCassette(file), interruption.signal);
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		const name = basename(file, ".cassette");
		all.push(...checks.map((check) => ({ ...check, name: `${name}: ${check.name}` })));
	}
	const report = args.flags.get("junit");
	if (report !== undefined) writeFileSync(report, junit("tau replay", all));
	const failed = all.filter(({ problem }) => problem !== undefined);
	const code = await printed(
		isJson(args) || args.flags.has("json")
			? jsonLine({ ok: failed.length === 0, checks: all })
			: `${[...failed.map(({ name, problem }) => `✗ ${name}\n  ${problem}`), summary(all.length, failed.length)].join("\n")}\n`,
	);
	return failed.length > 0 ? exitCodes.failed : code;
}

function summary(all: number, failed: number): string {
	return failed === 0
		? `✓ ${plural(all, "check")}, no difference`
		: `${plural(failed, "difference")} in ${plural(all, "check")}`;
}

async function verify(args: Args, cassette: Cassette, signal: AbortSignal): Promise<Check[]> {
	const home = process.cwd();
	const directory = mkdtempSync(join(tmpdir(), "tau-verify-"));
	try {
		await using tree = await isolate(localMachine(), {
			root: home,
			cwd: home,
			mode: "copy",
			directory,
			signal,
		});
		process.chdir(tree.cwd);
		return await runAgain(args, cassette, tree.cwd, signal);
	} finally {
		process.chdir(home);
		rmSync(directory, { recursive: true, force: true });
	}
}

async function runAgain(args: Args, cassette: Cassette, cwd: string, signal: AbortSignal): Promise<Check[]> {
	const [first] = answersOf(cassette);
	if (!first)
		throw new UsageError(
			"This recording has no requests: it was made of a log. Record with --record to verify it.",
		);
	const outerEnv = { ...process.env };
	loadEnvironment();
	const flags = new Map<FlagName, string>(args.flags);
	flags.set("no-session", "");
	const settings = await openSettings(args);
	await using opened = await openParts({
		args: { ...args, flags },
		cwd,
		outerEnv,
		settings,
		staysOpen: false,
		isLocal: true,
		signal,
		onNotice: printError,
	});
	const { parts } = opened;
	const { model } = first;
	parts.registry.setRuntimeKey(model, "replay");
	const around = { cwd, home: dirs().home, sessionId: parts.log.getSessionId(), date: startDate(parts.log) };
	const known = knownSecrets(process.env);
	const actual = (value: unknown): unknown => maskValue(normalizer(around)(value), known).value;
	const prompts = promptsOf(cassette);
	const relocate = relocator(cassette, cwd);
	const deck = new Deck(cassette, {
		cwd,
		normal: actual,
		onMiss: "nearest",
		onAnswer: async (exchange) => {
			const steering = prompts.steering.get(exchange.message.timestamp) ?? [];
			for (const text of steering)
				await host.submit({ text: relocate(text), isVerbatim: true }, { as: "steer" });
		},
	});
	// The sandbox contains commands, and not the tools that write files: what leaves the copy is declined, whatever the settings say.
	const unasked = args.flags.get("sandbox") === "off" ? ("full" as const) : ("auto" as const);
	const policy = { ...parts.policy, mode: parts.policy?.mode ?? unasked };
	const level = first.thinkingLevel;
	await using host = openSession({
		...parts,
		model,
		hasOwnKey: true,
		policy,
		...(level === undefined ? {} : { thinking: level }),
		stream: deck.tap(() => {
			throw new Error("A recording asks no model.");
		}),
	});
	await host.policy?.settle();
	if (host.policy?.boundary === "none" && args.flags.get("sandbox") !== "off")
		throw new UsageError(
			"--verify runs the commands of the recording, and nothing contains them here. Install bubblewrap (tau doctor), or accept it: --sandbox off",
		);
	using _stop = listen(signal, "abort", () => void host.stop());
	for (const text of prompts.first) {
		if (signal.aborted) break;
		// It is what the model has read: it calls no command of an extension here.
		const admission = await host.submit({ text: relocate(text), isVerbatim: true }, { isQuiet: true });
		if (admission.kind === "begun") await admission.done;
		await host.waitForIdle();
	}
	const recorded = normalizer({ ...cassetteSurroundings(cassette), home: "" });
	return verified(cassette, linesOf(host.log), deck, { recorded, actual });
}

/** As they are in the recording, where the home directory is masked. */
function cassetteSurroundings({ log }: Cassette): { cwd: string; sessionId: string; date: string } {
	const { cwd, id, timestamp } = JSON.parse(log[0] ?? "{}") as Record<string, unknown>;
	return { cwd: String(cwd), sessionId: String(id), date: String(timestamp).slice(0, 10) };
}
