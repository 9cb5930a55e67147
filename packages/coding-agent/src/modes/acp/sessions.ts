/** The sessions of one client: those that are open, and those that are stored. */
import { isAbsolute, resolve } from "node:path";

import * as acp from "@agentclientprotocol/sdk/unstable";
import type { ListedSession } from "@tau/compat/omp-methods";
import type { SessionInfo } from "@tau/log";
import { choose } from "@tau/server/adapters";
import { UserError } from "@tau/session/run";
import { guardedBuffers, type EditorBuffers } from "@tau/sys";
import { log, oneLine, UsageError } from "@tau/utils";

import type { AcpApplication, OpenRequest } from "./agent.ts";
import { configOptions, modesOf } from "./config.ts";
import { limits } from "./limits.ts";
import { until, type AcpClient, type AcpPeer } from "./peer.ts";
import { AcpSession } from "./session.ts";

type Roots = { cwd: string; additionalDirectories?: string[]; mcpServers?: acp.McpServer[] };

export class AcpSessions implements AsyncDisposable {
	readonly #application: AcpApplication;
	readonly #client: () => AcpClient;
	readonly #open = new Map<string, AcpSession>();

	constructor(application: AcpApplication, client: () => AcpClient) {
		this.#application = application;
		this.#client = client;
	}

	async create(params: acp.NewSessionRequest, peer: AcpPeer): Promise<acp.NewSessionResponse> {
		const session = await this.#begin(params, peer, undefined);
		return { sessionId: session.id, ...(await choices(session)) };
	}

	/** The whole history is sent before the response. */
	async load(params: acp.LoadSessionRequest, peer: AcpPeer): Promise<acp.LoadSessionResponse> {
		const session = await this.#stored(params.sessionId, params, peer);
		// It would mix with what is being said.
		if (session.isBusy) throw invalid(`session ${params.sessionId} is running`);
		await session.replay();
		return await choices(session);
	}

	async resume(params: acp.ResumeSessionRequest, peer: AcpPeer): Promise<acp.LoadSessionResponse> {
		return await choices(await this.#stored(params.sessionId, params, peer));
	}

	async fork(params: acp.ForkSessionRequest, peer: AcpPeer): Promise<acp.ForkSessionResponse> {
		const { sessionId } = params;
		const open = this.#showing(sessionId);
		if (open?.isBusy)
			throw invalid(`ACP session fork is unavailable while a prompt is in progress: ${sessionId}`);
		const { path: file } = await this.#find(
			sessionId,
			open && `ACP session cannot be forked before it is persisted: ${sessionId}`,
		);
		const session = await this.#begin(params, peer, { way: "fork", named: file });
		return { sessionId: session.id, ...(await choices(session)) };
	}

	async list({ cwd, cursor }: acp.ListSessionsRequest): Promise<acp.ListSessionsResponse> {
		if (cwd != null && !isAbsolute(cwd)) throw invalid(`ACP cwd must be absolute: ${cwd}`);
		const all = (await this.#application.list(cwd ?? undefined)).filter((each) => isAbsolute(each.cwd));
		const after = cursor == null ? -1 : all.findIndex(({ id }) => id === cursor);
		if (cursor != null && after < 0) throw invalid(`Invalid ACP session cursor: ${cursor}`);
		const page = all.slice(after + 1, after + 1 + limits.page);
		const last = after + 1 + page.length < all.length ? page.at(-1) : undefined;
		return { sessions: page.map(listed), ...(last ? { nextCursor: last.id } : {}) };
	}

	/** A method beside the protocol. */
	async extra(method: string, params: unknown): Promise<object> {
		const open = new Map([...this.#open].map(([id, { client }]) => [id, client]));
		const answer = await this.#application.extra({ method, params }, open, listed);
		if (!answer) throw new acp.RequestError(-32_601, `Unknown ACP ext method: ${method}`, { method });
		return answer;
	}

	/** To the trash, where the user finds it. */
	async remove({ sessionId }: acp.DeleteSessionRequest): Promise<object> {
		for (const open of [this.#open.get(sessionId), this.#showing(sessionId)])
			if (open) await this.#end(open.id);
		const found = (await this.#application.list(undefined)).find(({ id }) => id === sessionId);
		if (!found) throw acp.RequestError.sessionNotFound(sessionId);
		const problem = await this.#application.remove(found);
		if (problem !== undefined) throw invalid(problem);
		return {};
	}

	async close({ sessionId }: acp.CloseSessionRequest): Promise<object> {
		if (!(await this.#end(sessionId))) throw acp.RequestError.sessionNotFound(sessionId);
		return {};
	}

	async setMode({ sessionId, modeId }: acp.SetSessionModeRequest): Promise<object> {
		await choose(this.#session(sessionId).client, "mode", modeId);
		return {};
	}

	async setConfigOption(
		params: acp.SetSessionConfigOptionRequest,
	): Promise<acp.SetSessionConfigOptionResponse> {
		const { client } = this.#session(params.sessionId);
		await choose(client, params.configId, params.value);
		return { configOptions: await configOptions(client) };
	}

	prompt(
		{ sessionId, prompt }: acp.PromptRequest,
		signal: AbortSignal,
		onAccepted?: () => void,
	): Promise<acp.PromptResponse> {
		return this.#session(sessionId).prompt(prompt, signal, onAccepted);
	}

	isBusy(sessionId: string): boolean {
		return this.#session(sessionId).isBusy;
	}

	cancel(sessionId: string): void {
		this.#open.get(sessionId)?.cancel();
	}

	/** Ends all sessions, with everything that they run. */
	async [Symbol.asyncDispose](): Promise<void> {
		await Promise.all([...this.#open.keys()].map((id) => this.#end(id)));
	}

	#session(id: string): AcpSession {
		const session = this.#open.get(id);
		if (!session) throw invalid(`ACP session not found: ${id}`);
		return session;
	}

	async #begin(params: Roots, peer: AcpPeer, from: OpenRequest["from"]): Promise<AcpSession> {
		const { capabilities, name: clientName } = this.#client();
		const { cwd, additionalDirectories: directories = [], mcpServers: servers = [] } = params;
		for (const path of [cwd, ...directories])
			if (!isAbsolute(path)) throw invalid(`ACP cwd must be absolute: ${path}`);
		if (this.#open.size >= limits.sessions) throw invalid(`${limits.sessions} sessions are open: close one`);
		let id = "";
		const roots = [cwd, ...directories].map((path) => resolve(path));
		const buffers = editorFiles(peer, capabilities, () => id, roots);
		const opened = await this.#application.open({ cwd, directories, servers, from, buffers, clientName });
		id = opened.client.view.facts.session.id;
		const session = new AcpSession({ id, opened, peer, capabilities });
		this.#open.set(id, session);
		session.introduce();
		return session;
	}

	/** The open session with this conversation; its id is another one once a command has moved it there. */
	#showing(id: string): AcpSession | undefined {
		return [...this.#open.values()].find(({ client }) => client.view.facts.session.id === id);
	}

	/** One that is open already stays as it is. One that was moved to another conversation, which is stored, comes back. */
	async #stored(id: string, params: Roots, peer: AcpPeer): Promise<AcpSession> {
		const [open, showing] = [this.#open.get(id), this.#showing(id)];
		if (open && (open === showing || open.isBusy)) return open;
		if (showing) throw invalid(`ACP session ${id} is already loaded as ${showing.id}`);
		const { path: file, cwd } = await this.#find(id);
		if (cwd !== "" && isAbsolute(params.cwd) && resolve(cwd) !== resolve(params.cwd))
			throw invalid(`ACP session ${id} is already loaded for ${cwd}, not ${params.cwd}`);
		if (open) await this.#end(id);
		return await this.#begin(params, peer, { way: "resume", named: file });
	}

	async #find(sessionId: string, unless = `ACP session not found: ${sessionId}`): Promise<SessionInfo> {
		const found = (await this.#application.list(undefined)).find(({ id }) => id === sessionId);
		if (!found) throw invalid(unless);
		return found;
	}

	async #end(id: string): Promise<boolean> {
		const session = this.#open.get(id);
		this.#open.delete(id);
		await session?.[Symbol.asyncDispose]();
		return session !== undefined;
	}
}

/** The files that the client has open, where it offers them. `sessionId` is known once the session is open; files are read from then on. */
function editorFiles(
	client: AcpPeer,
	{ fs }: acp.ClientCapabilities,
	sessionId: () => string,
	roots: readonly string[],
): EditorBuffers | undefined {
	const { readTextFile, writeTextFile } = acp.methods.client.fs;
	const read = async (path: string, signal: AbortSignal): Promise<string> =>
		(await client.request(readTextFile, { sessionId: sessionId(), path }, until(signal))).content;
	const write = (path: string, content: string, signal: AbortSignal): Promise<unknown> =>
		client.request(writeTextFile, { sessionId: sessionId(), path, content }, until(signal));
	const offered = {
		read: fs?.readTextFile ? read : undefined,
		write: fs?.writeTextFile ? write : undefined,
	};
	return guardedBuffers(offered, roots);
}

function listed({ id: sessionId, cwd, modified, name, firstMessage }: SessionInfo): ListedSession {
	const title = oneLine(name ?? firstMessage, limits.titleChars);
	return { sessionId, cwd, title, updatedAt: modified.toISOString() };
}

async function choices({ client }: AcpSession): Promise<acp.LoadSessionResponse> {
	const modes = modesOf(client);
	return { configOptions: await configOptions(client), ...(modes ? { modes } : {}) };
}

function invalid(reason: string): acp.RequestError {
	return acp.RequestError.invalidParams(undefined, reason);
}

/** What the user or the client can do something about is no fault of Tau's. */
export async function answered<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (error instanceof acp.RequestError) throw error;
		const { message: reason, stack = "" } = error instanceof Error ? error : new Error(String(error));
		if (error instanceof UserError || error instanceof UsageError) throw invalid(reason);
		log.error("a request of an ACP client failed", { reason, stack });
		throw acp.RequestError.internalError({ reason }, reason);
	}
}
