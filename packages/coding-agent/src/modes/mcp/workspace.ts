/** What an MCP server of Tau offers: the tools of one session, called without a model. */
import type { AgentToolResult } from "@tau/agent";
import type {
	CallToolResult,
	ClientCapabilities,
	InputRequiredResult,
	McpRequestContext,
	McpServer,
	RegisteredTool,
	ServerContext,
	StandardSchemaWithJSON,
} from "@modelcontextprotocol/server";
import * as sdk from "@modelcontextprotocol/server";
import type { Extensions } from "@tau/extensions/host";
import type { SessionHost } from "@tau/session/host";
import { callTool, type SessionTool } from "@tau/session/run";
import { builtinTool } from "@tau/integrations/builtin";
import { abortable, log, onDispose, version } from "@tau/utils";

import type { CallRequests } from "./elicit.ts";
import instructions from "./instructions.md" with { type: "text" };
import { limits } from "./limits.ts";
import { ServedCall } from "./served-call.ts";

export interface WorkspaceParts {
	host: SessionHost;
	extensions: Extensions | undefined;
	/** Those of the host. */
	requests: CallRequests;
}

/** What a request carries that continues a call. */
interface CallState {
	call: string;
}

export class Workspace implements Disposable {
	readonly #parts: WorkspaceParts;
	readonly #calls = new Map<string, ServedCall>();
	/** Servers whose clients are told when the tools change. */
	readonly #followed = new Map<McpServer, Disposable>();
	/** Random for each process: a state of another one continues nothing. */
	readonly #codec = sdk.createRequestStateCodec({
		key: crypto.getRandomValues(new Uint8Array(32)),
		ttlSeconds: limits.answerMs / 1000,
	});
	#exclusive: Promise<unknown> = Promise.resolve();

	constructor(parts: WorkspaceParts) {
		this.#parts = parts;
	}

	/** A new server for a connection, or for one request where the protocol knows no connections. */
	readonly serve = async ({ era, requestInfo }: McpRequestContext): Promise<McpServer> => {
		const server = new sdk.McpServer(
			{ name: "tau", title: "Tau", version },
			{
				capabilities: { tools: { listChanged: true }, logging: {} },
				instructions: instructions.trim(),
				requestState: { verify: (state, context) => this.#codec.verify(state, context) },
				inputRequired: { maxRounds: limits.questions, roundTimeoutMs: limits.answerMs },
			},
		);
		const offered = new Map<string, RegisteredTool>();
		this.#offer(server, offered);
		const mint = (state: unknown): Promise<string> => this.#codec.mint(state);
		await this.#parts.extensions?.mcpServe({ server, sdk, mint });
		const isOneRequest = era === "modern" && requestInfo !== undefined;
		if (!isOneRequest)
			this.#followed.set(
				server,
				this.onToolsChanged(() => this.#offer(server, offered)),
			);
		return server;
	};

	/** Closes the connection of a server. */
	async end(server: McpServer): Promise<void> {
		this.#followed.get(server)?.[Symbol.dispose]();
		this.#followed.delete(server);
		await server.close();
	}

	/** Throws if the call has ended. */
	callOf(id: string): ServedCall {
		const call = this.#calls.get(id);
		if (!call) throw new Error("The call has ended.");
		return call;
	}

	onToolsChanged(listener: () => void): Disposable {
		return this.#parts.host.session.tools?.onChange(listener) ?? onDispose(() => {});
	}

	/** Ends all calls. */
	[Symbol.dispose](): void {
		for (const followed of this.#followed.values()) followed[Symbol.dispose]();
		for (const call of this.#calls.values()) call[Symbol.dispose]();
	}

	/** The tools of the session, except those that only a conversation needs. */
	get #tools(): readonly SessionTool[] {
		const { visible = [] } = this.#parts.host.session.tools ?? {};
		return visible.filter(({ name }) => !builtinTool(name)?.asksUser);
	}

	/** Registers the tools that are new, and removes those that are gone. */
	#offer(server: McpServer, offered: Map<string, RegisteredTool>): void {
		const tools = new Map(this.#tools.map((tool) => [tool.name, tool]));
		for (const [name, registered] of offered) {
			if (tools.has(name)) continue;
			registered.remove();
			offered.delete(name);
		}
		for (const tool of tools.values()) if (!offered.has(tool.name)) this.#register(server, tool, offered);
	}

	#register(server: McpServer, tool: SessionTool, offered: Map<string, RegisteredTool>): void {
		const { name, label, description, approval } = tool;
		const isReader = approval === "read";
		const registered = server.registerTool(
			name,
			{
				title: label,
				description,
				inputSchema: uncheckedSchema(tool.parameters),
				annotations: {
					title: label,
					readOnlyHint: isReader,
					...(isReader ? {} : { destructiveHint: true }),
					openWorldHint: approval === "exec",
				},
			},
			(args, context) => this.#answer(server, name, args, context),
		);
		offered.set(name, registered);
	}

	async #answer(
		server: McpServer,
		name: string,
		args: unknown,
		context: ServerContext,
	): Promise<CallToolResult | InputRequiredResult> {
		const state = context.mcpReq.requestState<CallState>();
		const call = state === undefined ? this.#begin(server, name, args, context) : this.#calls.get(state.call);
		if (!call && state === undefined)
			return failed(`${limits.calls} calls are running already. Wait for one of them, or cancel it.`);
		if (!call || call.tool !== name) return failed("The call that this answers has ended. Make it again.");
		if (state !== undefined) call.answer(sdk.inputResponse(context.mcpReq.inputResponses, "answer"));
		const step = await call.step(context);
		if (step.kind === "done") return step.result;
		return sdk.inputRequired({
			inputRequests: { answer: sdk.inputRequired.elicit(step.form) },
			requestState: await this.#codec.mint({ call: call.id } satisfies CallState),
		});
	}

	#begin(server: McpServer, name: string, args: unknown, context: ServerContext): ServedCall | undefined {
		if (this.#calls.size >= limits.calls) return undefined;
		return new ServedCall(name, canElicit(server, context), (call) => this.#run(call, args));
	}

	async #run(call: ServedCall, args: unknown): Promise<CallToolResult> {
		const { host, requests } = this.#parts;
		const { id, tool: name, signal } = call;
		this.#calls.set(id, call);
		const caller = {
			gates: () => host.session.toolGates(),
			callable: () => this.#tools,
			emit: host.emit.bind(host),
		};
		const onUpdate = (partial: AgentToolResult): void => call.report(partial);
		const work = (): Promise<AgentToolResult> =>
			requests.run(call, () => callTool(caller, { id, name, args, signal, onUpdate }));
		try {
			const isExclusive = host.session.tools?.get(name)?.concurrency === "exclusive";
			return asCallResult(await (isExclusive ? this.#alone(work, signal) : work()));
		} catch (error) {
			if (!signal.aborted) log.warn("a call of an MCP client failed", { tool: name, reason: String(error) });
			return failed(error instanceof Error ? error.message : String(error));
		} finally {
			this.#calls.delete(id);
		}
	}

	/** Calls that change something run one after the other, whichever client makes them. */
	async #alone<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
		const before = this.#exclusive;
		const done = Promise.withResolvers<void>();
		this.#exclusive = done.promise;
		try {
			await abortable(before, signal);
			return await work();
		} finally {
			void before.then(() => done.resolve());
		}
	}
}

/** The tool itself checks arguments: it corrects what can be meant in one way only, which a schema would reject. */
function uncheckedSchema(schema: Record<string, unknown>): StandardSchemaWithJSON<Record<string, unknown>> {
	const json = { type: "object", ...schema };
	return {
		"~standard": {
			version: 1,
			vendor: "tau",
			validate: (value) => ({ value: value as Record<string, unknown> }),
			jsonSchema: { input: () => json, output: () => json },
		},
	};
}

/** Whether the client can show a form to its user; clients before the modes of elicitation declare nothing more. */
function canElicit(server: McpServer, { mcpReq }: ServerContext): boolean {
	const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
	const declared = envelope[sdk.CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined;
	const { elicitation } = declared ?? server.server.getClientCapabilities() ?? {};
	return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function asCallResult({ content, isError, structuredContent }: AgentToolResult): CallToolResult {
	const isRecord =
		typeof structuredContent === "object" && structuredContent !== null && !Array.isArray(structuredContent);
	return {
		content: content.map((part) =>
			part.type === "text"
				? { type: "text", text: part.text }
				: { type: "image", data: part.data, mimeType: part.mimeType },
		),
		...(isRecord ? { structuredContent: { ...structuredContent } } : {}),
		...(isError ? { isError: true } : {}),
	};
}

function failed(text: string): CallToolResult {
	return { content: [{ type: "text", text }], isError: true };
}
