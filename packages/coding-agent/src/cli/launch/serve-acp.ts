/** Runs ACP mode over standard input and output: the client is answered before anything that a session needs is loaded. */
import { existsSync, statSync } from "node:fs";

import { dirs, isTerminal, UsageError } from "@tau/utils";
import type { RegisteredServers } from "@tau/resources/mcp";
import type { SessionInfo } from "@tau/log";
import type { UserRequests } from "@tau/session/host";
import type { SessionClient } from "@tau/wire";

import { runAcp, type OpenedSession, type OpenRequest } from "../../modes/acp/index.ts";
import { standardOutput } from "../../modes/output.ts";
import type { Args } from "../args.ts";
import { exitCodes } from "../exit-codes.ts";
import { limits } from "../limits.ts";
import { printError } from "../print-error.ts";
import { onInterrupt } from "../signals.ts";
import type { OpenedSession as ServedSession } from "./open-served.ts";

const purpose =
	"tau acp is for editors: they start it and talk to it on standard input and output. See docs/acp.md, or run tau setup acp. Ctrl+D ends it.";

export async function serveAcp(args: Args): Promise<number> {
	if (args.flags.has("login"))
		return (await import("../commands/auth/login.ts")).runLogin({ ...args, operands: [] });
	rejectPrompts(args);
	if (isTerminal("stdin")) printError(purpose);
	using interruption = onInterrupt(limits.rpcShutdownMs);
	const gone = new AbortController();
	const out = standardOutput("stdout", () => gone.abort());
	const signal = AbortSignal.any([interruption.signal, gone.signal]);
	const outerEnv = { ...process.env };
	let isEntered = false;
	const enter = (cwd: string): void => {
		if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
			throw new UsageError(`${cwd} is not a directory.`);
		// Extensions read the directory of their process, which may be that of one session only.
		if (!isEntered) process.chdir(cwd);
		isEntered = true;
	};
	const list = async (cwd: string | undefined): Promise<SessionInfo[]> => {
		const { listStored } = await import("@tau/session-commands/work");
		const directory = args.flags.get("session-dir");
		const where = cwd === undefined ? "everywhere" : "here";
		return await listStored({ cwd: cwd ?? process.cwd(), directory }, where, () => {});
	};
	await runAcp({
		input: Bun.stdin.stream(),
		out,
		signal,
		async hasDraft() {
			if (args.flags.has("draft")) return true;
			const { loadSettings } = await import("./load-settings.ts");
			return (await loadSettings(args)).get("acp.draft");
		},
		loginArgs: args.command === undefined ? undefined : ["--login"],
		open(request) {
			enter(request.cwd);
			return openAcpSession(request, { args: runArgs(args), outerEnv, signal });
		},
		list,
		async extra(called, sessions, listed) {
			const { answerExtra } = await import("./omp-methods.ts");
			const all = async (cwd?: string) => (await list(cwd)).map(listed);
			return await answerExtra(args, called, sessions, all);
		},
		async remove(session) {
			const { trashStored } = await import("@tau/session-commands/work");
			return trashStored(session);
		},
	});
	const problem = await out.settled();
	if (problem) printError(`cannot write to the client: ${problem.message}`);
	return problem ? exitCodes.failed : (interruption.exitCode ?? exitCodes.answered);
}

/** What the client says arrives on standard input, and nothing precedes it. */
function rejectPrompts({ messages, files, flags }: Args): void {
	const [word] = [...messages, ...files.map((file) => `@${file}`)];
	if (word !== undefined) throw new UsageError(`ACP mode takes no prompt ("${word}"). The editor sends it.`);
	const past = (["continue", "resume", "session", "fork", "session-id", "name"] as const).find((flag) =>
		flags.has(flag),
	);
	if (past !== undefined)
		throw new UsageError(`--${past} cannot be combined with ACP mode: the editor chooses the session.`);
}

/** The arguments of a session; each has its own extensions. */
function runArgs({ command: _, extensions: __, ...args }: Args): Args {
	return { ...args, flags: new Map(args.flags).set("mode", "acp"), operands: [] };
}

interface Launch {
	args: Args;
	outerEnv: Readonly<Record<string, string | undefined>>;
	signal: AbortSignal;
}

/** Opens a session as any other client would have it, in the directory that the editor names. */
async function openAcpSession(request: OpenRequest, launch: Launch): Promise<OpenedSession> {
	const { cwd, directories } = request;
	const [{ openSettings }, { loadEnvironment }, { openServed }, { UserRequests }] = await Promise.all([
		import("./load-settings.ts"),
		import("./session-parts.ts"),
		import("./open-served.ts"),
		import("@tau/session/host"),
	]);
	const { captureOutput } = await import("../capture-output.ts");
	const args = argsOf(request, launch.args);
	loadEnvironment();
	await using owned = new AsyncDisposableStack();
	// Standard output belongs to the protocol, whatever an extension prints.
	owned.use(captureOutput({ mode: "rpc", onNotice: printError }));
	const settings = await openSettings(args, process.env, cwd);
	const added = [...settings.get("additionalDirectories"), ...directories];
	if (directories.length > 0) await settings.set("additionalDirectories", added, "session");
	const requests = new UserRequests();
	const untrusted: string[] = [];
	const session = owned.use(
		await openServed(
			{
				...launch,
				args,
				cwd,
				settings,
				requests,
				servers: await serversOf(request),
				buffers: request.buffers,
				// The client does not know the session yet, and could not be asked in it.
				async askTrust(paths) {
					untrusted.push(...paths);
					return false;
				},
			},
			(message, host) => (host ? void host.notice(message) : printError(message)),
		),
	);
	const client = await clientOf(session, request.clientName, requests, owned);
	const moved = owned.move();
	const confirm = async (): Promise<OpenedSession | undefined> => {
		const { askTrust } = await import("@tau/extensions/trust");
		const onNotice = (message: string): void => void session.host.notice(message);
		const question = { cwd, agentDir: dirs().agent, signal: launch.signal, onNotice, paths: untrusted };
		if (untrusted.length === 0 || !(await askTrust(requests, question))) return undefined;
		const { id, file } = session.host.state;
		await moved.disposeAsync();
		// A session that nothing was said in is on no disk yet.
		const isStored = file !== undefined && existsSync(file);
		const from = isStored
			? { way: "resume" as const, named: file }
			: { way: "session-id" as const, named: id };
		return await openAcpSession({ ...request, from }, launch);
	};
	return { client, directories, confirm, [Symbol.asyncDispose]: () => moved.disposeAsync() };
}

/** The session as the adapter sees it, with the extensions started. */
async function clientOf(
	{ host, parts, commands }: ServedSession,
	name: string,
	requests: UserRequests,
	owned: AsyncDisposableStack,
): Promise<SessionClient> {
	const [{ LocalClient }, { RpcExtensionUI }, { extensionControl }] = await Promise.all([
		import("@tau/server/clients/local-client"),
		import("@tau/server/rpc/rpc-extension-ui"),
		import("@tau/session-commands/shared"),
	]);
	const { extensions, mcp } = parts;
	const client = new LocalClient({
		me: { id: "acp", name, rights: "control", kinds: ["questions", "approval", "trust", "dialog"] },
		host,
		extensions,
		resources: {
			get current() {
				return parts.resources;
			},
		},
		mcp,
		commands,
	});
	owned.use(client);
	const show: ConstructorParameters<typeof RpcExtensionUI>[1] = (frame) => {
		if (frame.method === "notify")
			void host.notice(frame.message, frame.notifyType === "info" ? "info" : "warning");
	};
	const { ui } = owned.use(
		new RpcExtensionUI(requests, show, [], "Theme changes are unavailable in ACP mode"),
	);
	if (extensions) {
		const control = extensionControl(host, extensions);
		await extensions.start({ ui, kind: "rpc", hasUI: true, source: "rpc", shutdown() {}, control });
	}
	return client;
}

/** What the command line says about models is for new sessions: a stored one continues with its own. */
function argsOf({ from }: OpenRequest, args: Args): Args {
	if (!from) return args;
	const flags = new Map(args.flags).set(from.way, from.named);
	if (from.way !== "session-id")
		for (const own of ["model", "provider", "thinking"] as const) flags.delete(own);
	return { ...args, flags };
}

/** Those of the editor, for this session alone. Throws what is wrong with one. */
async function serversOf({ servers }: OpenRequest): Promise<RegisteredServers | undefined> {
	if (servers.length === 0) return undefined;
	const { RegisteredServers: Servers } = await import("@tau/resources/mcp");
	const registered = new Servers();
	for (const server of servers) {
		const pairs = (list: readonly { name: string; value: string }[]): Record<string, string> =>
			Object.fromEntries(list.map(({ name, value }) => [name, value]));
		try {
			if ("command" in server)
				registered.register(
					server.name,
					{ command: server.command, args: server.args, env: pairs(server.env) },
					"editor",
				);
			else if (server.type === "acp") throw new Error(`Unsupported MCP server transport: ${server.type}`);
			else
				registered.register(
					server.name,
					{ type: server.type, url: server.url, headers: pairs(server.headers) },
					"editor",
				);
		} catch (error) {
			throw new UsageError(
				`MCP server ${server.name}: ${error instanceof Error ? error.message : String(error)}`,
			);
		}
	}
	return registered;
}
