/** Runs a session without a terminal: clients join it over its socket, and it continues when they have left. */
import { writeSync } from "node:fs";

import { openSession } from "@tau/extensions/assembly";
import { UserRequests, type SessionHost } from "@tau/session/host";
import { askTrust } from "@tau/extensions/trust";
import { dirs, linesOf, UsageError } from "@tau/utils";

import type { OpenPrompt } from "@tau/server/local/protocol";
import { detachedVariable, keyVariable } from "@tau/server/daemon/session-process";
import { SessionServer } from "@tau/server/daemon/session-server";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { printError } from "../print-error.ts";
import { onInterrupt, type Interruption } from "../signals.ts";
import { commandParts } from "./command-parts.ts";
import { DetachedSession } from "./detached-session.ts";
import { openSettings } from "./load-settings.ts";
import { Rooms } from "./rooms.ts";
import { servedSession, surfacesOf } from "./serve-session.ts";
import { loadEnvironment, openParts, toolEnvOf } from "./session-parts.ts";

/** Its first line on standard output says where it can be joined, or why it could not be opened. */
export async function runDetached(given: Args): Promise<number> {
	using interruption = onInterrupt(limits.rpcShutdownMs);
	// It has no terminal that could hang up.
	interruption.onHangup = () => true;
	const isOwned = process.env[detachedVariable] === "owned";
	// Not for the programs that it starts.
	const args = withKey(given, process.env[keyVariable]);
	delete process.env[detachedVariable];
	delete process.env[keyVariable];
	const input = linesOf(Bun.stdin.stream(), limits.promptLineBytes, interruption.signal)[
		Symbol.asyncIterator
	]();
	const { value: first } = await input.next();
	const prompts = JSON.parse(first ?? "[]") as OpenPrompt[];
	// The input of an owned session ends with its owner.
	const left = isOwned ? input.next().then(() => {}) : undefined;
	try {
		return await serve(args, prompts, { interruption, left });
	} catch (error) {
		say({ failed: error instanceof Error ? error.message : String(error) });
		throw error;
	}
}

function withKey(args: Args, key: string | undefined): Args {
	return key === undefined ? args : { ...args, flags: new Map([...args.flags, ["api-key", key]]) };
}

/** Nobody may read it any more. */
function say(line: object): void {
	try {
		writeSync(1, `${JSON.stringify(line)}\n`);
	} catch (error) {
		printError(`the daemon is gone: ${String(error)}`);
	}
}

interface Lifetime {
	readonly interruption: Interruption;
	/** Resolves when the owner of the session is gone; absent if it outlives who started it. */
	readonly left: Promise<void> | undefined;
}

async function serve(
	args: Args,
	prompts: readonly OpenPrompt[],
	{ interruption, left }: Lifetime,
): Promise<number> {
	const cwd = process.cwd();
	const outerEnv = { ...process.env };
	loadEnvironment();
	const settings = await openSettings(args);
	const requests = new UserRequests();
	let notify = printError;
	const untrusted: string[] = [];
	await using opened = await openParts({
		args,
		cwd,
		outerEnv,
		settings,
		staysOpen: true,
		requests,
		signal: interruption.signal,
		onNotice: (message) => notify(message),
		// Nobody has joined yet who could be asked.
		async askTrust(paths) {
			untrusted.push(...paths);
			return false;
		},
	});
	const { parts, choice, recording } = opened;
	const env = toolEnvOf(parts);
	await using host = openSession(parts);
	notify = (message) => void host.notice(message);
	await using rooms = new Rooms();
	const onNotice = (message: string): void => notify(message);
	const commands = commandParts({ args, parts, host, env, onNotice, rooms, recording });
	const { extensions } = parts;
	const surfaces = surfacesOf(host, parts);
	const session = servedSession({ host, parts, commands, surfaces });
	rooms.serve(session);
	using server = new SessionServer({ session, kind: "detached" });
	const confirmTrust = async (signal: AbortSignal): Promise<void> => {
		const question = { cwd, agentDir: dirs().agent, paths: untrusted, signal, onNotice: notify };
		if (!(await askTrust(requests, question))) return;
		for (const problem of await commands.reload()) notify(problem);
		await host.emit({ type: "trust_changed", project: cwd, trusted: true });
	};
	using detached = new DetachedSession({
		host,
		extensions,
		requests,
		server,
		surfaces,
		interruption,
		rooms,
		confirmTrust: untrusted.length > 0 ? confirmTrust : undefined,
		isOwned: left !== undefined,
	});
	await detached.startExtensions();
	for (const notice of choice.notices) void host.notice(notice);
	await submit(host, prompts);
	say({ ready: server.opened });
	await Promise.race(left ? [detached.ended, left] : [detached.ended]);
	return interruption.exitCode ?? exitCodes.answered;
}

/** Resolves when the first is being worked on, and the others wait behind it. Throws why it is refused. */
async function submit(host: SessionHost, prompts: readonly OpenPrompt[]): Promise<void> {
	for (const [at, { images, ...prompt }] of prompts.entries()) {
		const whole = images ? { ...prompt, images: [...images] } : prompt;
		const admission = await host.submit(whole, { as: at === 0 ? "prompt" : "followUp" });
		if (admission.kind === "refused") throw new UsageError(admission.reason);
	}
}
