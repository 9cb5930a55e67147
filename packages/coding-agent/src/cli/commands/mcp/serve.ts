/** `tau mcp serve`: offers Tau's tools, and Tau itself, to MCP clients. */
import { randomBytes } from "node:crypto";

import { openSession } from "@tau/extensions/assembly";
import { printMode } from "@tau/extensions/ui";
import type { SessionHost } from "@tau/session/host";
import type { Settings } from "@tau/config/settings";
import { listen, ownWrite, UsageError, type Env } from "@tau/utils";

import { CallRequests, requestsOf, serveHttp, serveStdio, Workspace } from "../../../modes/mcp/index.ts";
import { processOutput } from "../../../modes/output.ts";
import type { Args } from "../../args.ts";
import { captureOutput } from "../../capture-output.ts";
import { exitCodes } from "../../exit-codes.ts";
import type { FlagName } from "../../flags.ts";
import { loadSettings, openSettings } from "../../launch/load-settings.ts";
import { loadEnvironment, openParts } from "../../launch/session-parts.ts";
import { printError } from "../../print-error.ts";
import { onInterrupt } from "../../signals.ts";
import { tauTool, type TauCall, type TauSession } from "./tau-tool.ts";

/** The token of the HTTP server, for clients that are configured once; otherwise each start has its own. */
const tokenVariable = "TAU_MCP_TOKEN";

export async function runMcpServe(args: Args): Promise<number> {
	using interruption = onInterrupt();
	const token = process.env[tokenVariable];
	// Commands of the model must not reach the server.
	delete process.env[tokenVariable];
	const outerEnv = { ...process.env };
	// Standard output belongs to the protocol, whatever an extension prints.
	using _output = captureOutput({ mode: "rpc", onNotice: printError });
	const gone = new AbortController();
	const out = processOutput(process.stdout, () => gone.abort());
	const signal = AbortSignal.any([interruption.signal, gone.signal]);
	loadEnvironment();
	const settings = await openSettings(args);
	await using owned = new AsyncDisposableStack();
	const workspace = await openWorkspace({ args, outerEnv, settings }, owned);
	const port = args.flags.get("http");
	let hasFailed = false;
	const onProblem = (reason: string): void => {
		hasFailed = true;
		printError(`the client sent something that cannot be read: ${reason}`);
	};
	if (port === undefined) await serveStdio(workspace, { out, signal, onProblem });
	else {
		owned.use(serveOn(workspace, port === "" ? 0 : Number(port), token));
		await ended(signal);
	}
	const problem = await out.settled();
	if (problem) printError(`cannot write to the client: ${problem.message}`);
	return problem || hasFailed ? exitCodes.failed : (interruption.exitCode ?? exitCodes.answered);
}

interface Launch {
	args: Args;
	outerEnv: Env;
	settings: Settings;
}

/** The session whose tools are offered. It is not stored: no model takes part in it. */
async function openWorkspace(launch: Launch, owned: AsyncDisposableStack): Promise<Workspace> {
	const requests = new CallRequests();
	const open = (call: TauCall): Promise<TauSession> => openTauSession(launch, workspace, call);
	const { parts, choice } = owned.use(
		await openParts({
			...launch,
			// Tools of other servers are for the client to connect to; sessions of the tool tau have them.
			args: runArgs(launch.args, [
				["no-session", ""],
				["no-mcp", ""],
			]),
			cwd: process.cwd(),
			staysOpen: false,
			isLocal: true,
			requests,
			customTools: [tauTool(open)],
			onNotice: printError,
		}),
	);
	for (const notice of choice.notices) printError(notice);
	const host = owned.use(openSession(parts));
	owned.use(printNotices(host));
	const workspace = owned.use(new Workspace({ host, extensions: parts.extensions, requests }));
	await parts.extensions?.start(printMode(printError));
	return workspace;
}

/** Each call of the tool `tau` has a session of its own, or continues a stored one. */
async function openTauSession(
	{ args, outerEnv }: Launch,
	workspace: Workspace,
	{ toolCallId, session, model }: TauCall,
): Promise<TauSession> {
	await using owned = new AsyncDisposableStack();
	const changes: [FlagName, string | undefined][] = [
		["session", session],
		["model", model],
	];
	const { parts } = owned.use(
		await openParts({
			args: runArgs(args, changes),
			cwd: process.cwd(),
			outerEnv,
			settings: await loadSettings(args),
			staysOpen: false,
			isLocal: true,
			requests: requestsOf(workspace.callOf(toolCallId)),
			onNotice: printError,
		}),
	);
	const host = owned.use(openSession(parts));
	owned.use(printNotices(host));
	const moved = owned.move();
	return {
		host,
		prepare: async () => parts.extensions?.start(printMode(printError)),
		[Symbol.asyncDispose]: () => moved[Symbol.asyncDispose](),
	};
}

/** Who started the server reads on standard error what the client does not need to know. */
function printNotices(host: SessionHost): Disposable {
	return host.attach({
		onEvent: (event) => {
			if (event.type === "notice") printError(event.message);
			if (event.type === "extension_error")
				printError(`${event.extensionPath} (${event.event}): ${event.error}`);
		},
	});
}

/** The arguments of a run in print mode, with these flags. */
function runArgs(args: Args, changes: readonly [FlagName, string | undefined][]): Args {
	const { command: _, extensions: __, ...run } = args;
	const flags = new Map(run.flags).set("print", "");
	for (const [name, value] of changes) if (value !== undefined) flags.set(name, value);
	return { ...run, flags, operands: [] };
}

function serveOn(workspace: Workspace, port: number, given: string | undefined): AsyncDisposable {
	const token = given || randomBytes(24).toString("base64url");
	try {
		const server = serveHttp(workspace, { port, token });
		const address = `http://127.0.0.1:${server.port}/mcp`;
		// A token that the user has chosen is not shown.
		ownWrite(process.stdout)(given ? `${address}\n` : `${address}/${token}\n`);
		return server;
	} catch (error) {
		const reason = error instanceof Error ? error.message : String(error);
		throw new UsageError(`--http ${port}: cannot listen on this port: ${reason}`);
	}
}

async function ended(signal: AbortSignal): Promise<void> {
	const over = Promise.withResolvers<void>();
	using _ = listen(signal, "abort", () => over.resolve());
	if (!signal.aborted) await over.promise;
}
