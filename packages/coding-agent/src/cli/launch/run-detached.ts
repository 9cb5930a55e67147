/** Runs a session without a terminal: clients join it over its socket, and it continues when they have left. */
import { writeSync } from "node:fs";

import { envNumber, listen, timer } from "@tau/utils";
import { openSession } from "@tau/extensions/assembly";
import { UserRequests, type SessionHost } from "@tau/session/host";

import { RpcExtensionUI } from "../../modes/rpc/rpc-extension-ui.ts";
import { extensionControl } from "../../modes/shared/extension-control.ts";
import { detachedVariable } from "../../server/daemon.ts";
import { limits as serverLimits } from "../../local/limits.ts";
import { SessionServer, statusOf } from "../../server/session-server.ts";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { printError } from "../print-error.ts";
import { onInterrupt, type Interruption } from "../signals.ts";
import { openSettings } from "./load-settings.ts";
import { loadEnvironment, openParts } from "./session-parts.ts";

/** Its first line on standard output says where it can be joined, or why it could not be opened. */
export async function runDetached(args: Args): Promise<number> {
	// It has no terminal that could hang up.
	using interruption = onInterrupt(limits.rpcShutdownMs, () => {});
	// Not for the programs that it starts.
	delete process.env[detachedVariable];
	try {
		return await serve(args, interruption);
	} catch (error) {
		say({ failed: error instanceof Error ? error.message : String(error) });
		throw error;
	}
}

/** Nobody may read it any more. */
function say(line: object): void {
	try {
		writeSync(1, `${JSON.stringify(line)}\n`);
	} catch (error) {
		printError(`the daemon is gone: ${String(error)}`);
	}
}

async function serve(args: Args, interruption: Interruption): Promise<number> {
	const cwd = process.cwd();
	const outerEnv = { ...process.env };
	loadEnvironment();
	const settings = await openSettings(args);
	const requests = new UserRequests();
	let notify = printError;
	await using opened = await openParts({
		args,
		cwd,
		outerEnv,
		settings,
		staysOpen: true,
		requests,
		signal: interruption.signal,
		onNotice: (message) => notify(message),
	});
	const { parts, choice } = opened;
	await using host = openSession(parts);
	notify = (message) => void host.notice(message);
	const over = Promise.withResolvers<void>();
	const end = (): void => over.resolve();
	using ui = extensionUI(requests, host);
	const session = { host, extensions: parts.extensions, resources: parts.resources, mcp: parts.mcp };
	const activity = Promise.withResolvers<() => void>();
	using server = new SessionServer({
		session,
		kind: "detached",
		end,
		onClients: () => void activity.promise.then((note) => note()),
	});
	using idle = whenIdle(host, server, end);
	activity.resolve(idle.note);
	await parts.extensions?.start({
		ui: ui.ui,
		kind: "rpc",
		hasUI: true,
		source: "rpc",
		shutdown: () => void host.waitForIdle().then(end),
		control: extensionControl(host, parts.extensions),
	});
	for (const notice of choice.notices) void host.notice(notice);
	say({ ready: server.opened });
	using _ = listen(interruption.signal, "abort", end);
	if (!interruption.signal.aborted) await over.promise;
	await host.stop();
	return interruption.exitCode ?? exitCodes.answered;
}

/** A question waits until somebody joins and answers it: a session without clients does not decline. */
function extensionUI(requests: UserRequests, host: SessionHost): RpcExtensionUI {
	const ui = new RpcExtensionUI(requests, (frame) => {
		if (frame.type === "extension_ui_request" && frame.method === "notify")
			void host.notice(frame.message, frame.notifyType === "info" ? "info" : "warning");
	});
	ui.setKinds(["questions", "approval", "trust", "dialog"]);
	return ui;
}

interface IdleWatch extends Disposable {
	/** Something has happened. */
	note(): void;
}

/** A session that nobody looks at, and that has nothing to do, needs no process: its log is on disk. */
function whenIdle(host: SessionHost, server: SessionServer, end: () => void): IdleWatch {
	const parkMs = envNumber("TAU_DAEMON_PARK_MS") ?? serverLimits.parkMs;
	let current: Disposable | undefined;
	const isIdle = (): boolean => {
		const { phase, waiting, working, clients } = statusOf(host, server.clients);
		return phase === "idle" && waiting + working + clients === 0;
	};
	const note = (): void => {
		current?.[Symbol.dispose]();
		current = timer(parkMs, () => (isIdle() ? end() : note()));
	};
	const following = host.attach({ onEvent: note });
	note();
	return {
		note,
		[Symbol.dispose]() {
			following[Symbol.dispose]();
			current?.[Symbol.dispose]();
		},
	};
}
