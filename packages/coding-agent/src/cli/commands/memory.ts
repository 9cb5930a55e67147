/** `tau memory`: shows and changes what is remembered of past sessions. */
import { createInterface } from "node:readline/promises";

import { isTrusted, isUntrusted } from "@tau/extensions/trust";
import { SessionManager } from "@tau/log";
import { memoryModel, memorySettings, formatUpdate } from "@tau/session/behaviors";
import { Memory, memoryDirectories, updateMemory } from "@tau/session/memory";
import { askRole, KeySource, storedLogins } from "@tau/config/models";
import { sessionModel, UserError } from "@tau/session/run";
import type { Settings } from "@tau/config/settings";
import { dirs, UsageError, uuidv7 } from "@tau/utils";

import {
	actionAliases,
	clearedLine,
	clearRequest,
	memoryLines,
	proposalLines,
	written,
} from "@tau/session-commands/work";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { loadRegistry } from "../launch/load-models.ts";
import { openSettings } from "../launch/load-settings.ts";
import { modelRequest } from "../launch/model-request.ts";
import { loadEnvironment } from "../launch/session-parts.ts";
import { usageOutside } from "../launch/usage-outside.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import { openCredentials } from "./auth/store.ts";
import { isJson, jsonLine, printed } from "./sessions/output.ts";

export async function runMemory(args: Args): Promise<number> {
	const [typed = "view", ...words] = args.operands;
	const action = actionAliases[typed] ?? typed;
	const rest = [...words, ...(args.flags.has("forever") ? ["forever"] : [])].join(" ");
	try {
		const settings = await openSettings(args);
		if (action === "update" || action === "rebuild")
			return await update(args, settings, action === "rebuild");
		using memory = new Memory(memoryDirectories(process.cwd()));
		if (action === "clear") return await clear(args, memory, rest);
		if (action === "review" || action === "accept" || action === "reject")
			return await decide(action, memory, settings);
		if (action === "list" && isJson(args))
			return await printed(
				(rest === "" ? memory.facts() : memory.search(rest))
					.map(({ scope, ref, fact }) => jsonLine({ scope, ref, ...fact }))
					.join(""),
			);
		return await lines(memoryLines(action, rest, memory, settings) ?? []);
	} catch (error) {
		if (!(error instanceof UserError)) throw error;
		printError(error.message);
		return exitCodes.failed;
	}
}

function lines(list: readonly string[]): Promise<number> {
	return printed(`${list.join("\n")}\n`);
}

async function clear(args: Args, memory: Memory, rest: string): Promise<number> {
	const request = clearRequest(rest);
	if (!args.flags.has("yes")) {
		if (!process.stdin.isTTY) throw new UsageError("Not a terminal: pass --yes to clear.");
		using input = createInterface({ input: process.stdin, output: process.stdout });
		const answer = await input.question(`Forget everything about ${request.what}? [y/N] `);
		if (!/^y(?:es)?$/i.test(answer.trim())) return await lines(["Nothing was cleared."]);
	}
	memory.clear(request.scopes, request.forever);
	return await lines([clearedLine(request)]);
}

async function decide(action: string, memory: Memory, settings: Settings): Promise<number> {
	const proposals = memory.changes("proposed").toReversed();
	if (proposals.length === 0) return await lines(["Nothing waits for your yes."]);
	if (action === "review") return await lines(proposals.flatMap(proposalLines));
	for (const proposal of proposals) memory[action === "accept" ? "accept" : "reject"](proposal);
	const done = action === "accept" ? "Remembered" : "Refused";
	return await lines(
		written(memory, settings, [`${done}: ${proposals.map(({ change }) => change.label).join("; ")}.`]),
	);
}

/** In the foreground; Ctrl+C stops it, and what is done stays. */
async function update(args: Args, settings: Settings, isRebuild: boolean): Promise<number> {
	if (!settings.get("memories.enabled"))
		throw new UserError("Memory is off. Turn it on: tau config set memories.enabled true");
	const cwd = process.cwd();
	if (!args.flags.has("trust") && !isTrusted(cwd, dirs().agent) && isUntrusted(cwd, dirs().agent))
		throw new UserError(
			"The project is not trusted, so its sessions are not read. Add --trust if you trust it.",
		);
	using interruption = onInterrupt();
	loadEnvironment();
	using store = await openCredentials(settings);
	const registry = await loadRegistry(args, process.env, settings, storedLogins(store));
	using log = SessionManager.inMemory(cwd);
	const request = modelRequest(args);
	const choice = await sessionModel({
		request,
		thinking: undefined,
		registry,
		settings,
		log,
		env: process.env,
	});
	const keys = new KeySource({ store, registry, sessionId: uuidv7(), onNotice: printError });
	const directories = memoryDirectories(cwd);
	const onAnswer = usageOutside("memory", cwd);
	if (isRebuild) {
		using memory = new Memory(directories, { create: true });
		memory.requestRebuild();
	}
	try {
		const report = await updateMemory({
			directories,
			settings: memorySettings(settings),
			ask: async (question) => {
				const model = memoryModel({ settings, registry }, choice.model);
				const answer = model && (await askRole({ registry, keys }, model, question));
				if (answer) onAnswer(answer, keys.isSubscription(answer.provider));
				return answer;
			},
			sessionDir: args.flags.get("session-dir") ?? settings.get("sessionDir"),
			signal: interruption.signal,
			onProgress: (done, total) => printError(`${done} of ${total} sessions`),
		});
		if (report.isReadByAnother) throw new UserError("Another Tau is reading the sessions.");
		if (report.problem !== undefined) throw new UserError(report.problem);
		return (
			(await lines([formatUpdate(report)])) || (report.failed > 0 ? exitCodes.failed : exitCodes.answered)
		);
	} catch (error) {
		if (interruption.exitCode !== undefined) return interruption.exitCode;
		throw error;
	}
}
