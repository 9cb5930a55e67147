/** Connects the official MCP client to `tau mcp serve`. */
import { Client, type ClientOptions, type CallToolResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { tauProgram, type Launched } from "../support/launch.ts";

export const eras = ["legacy", "modern"] as const;
export type Era = (typeof eras)[number];

/** Where nothing contains commands: what runs code is asked about. */
export const noBoundary = { TAU_CONTAINER: "none", TAU_SANDBOX: "off" } as const;

export interface ServedOptions {
	args?: readonly string[];
	env?: Record<string, string>;
	/** How the client's user answers a form; without it the client cannot ask anybody. */
	onForm?(message: string, choices: readonly string[]): string | undefined;
}

export interface Served extends AsyncDisposable {
	readonly client: Client;
	readonly pid: number;
	/** Standard error up to now. */
	errors(): string;
	call(name: string, args?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
}

export async function serve(tau: Launched, era: Era, options: ServedOptions = {}): Promise<Served> {
	const transport = new StdioClientTransport({
		command: tauProgram,
		args: ["mcp", "serve", "--model", "played/played-1", ...(options.args ?? [])],
		cwd: tau.project,
		env: { ...tau.env, ...options.env },
		stderr: "pipe",
	});
	let errors = "";
	transport.stderr?.on("data", (chunk: Buffer) => (errors += String(chunk)));
	const client = newClient(era, options);
	await client.connect(transport);
	return {
		client,
		pid: transport.pid ?? 0,
		errors: () => errors,
		async call(name, args = {}) {
			return read(await client.callTool({ name, arguments: args }));
		},
		[Symbol.asyncDispose]: () => client.close(),
	};
}

export function newClient(era: Era, { onForm }: Pick<ServedOptions, "onForm"> = {}): Client {
	const mode = era === "legacy" ? "legacy" : { pin: "2026-07-28" };
	const capabilities: ClientOptions["capabilities"] = onForm ? { elicitation: { form: {} } } : {};
	const client = new Client({ name: "test", version: "1" }, { capabilities, versionNegotiation: { mode } });
	if (onForm)
		client.setRequestHandler("elicitation/create", ({ params }) => {
			const fields = "requestedSchema" in params ? params.requestedSchema.properties : {};
			const { answer } = fields as { answer?: { enum?: string[] } };
			const chosen = onForm(params.message, answer?.enum ?? []);
			return chosen === undefined
				? { action: "decline" as const }
				: { action: "accept" as const, content: { answer: chosen } };
		});
	return client;
}

export function read({ content, isError }: CallToolResult): { text: string; isError: boolean } {
	const text = content.map((part) => (part.type === "text" ? part.text : `<${part.type}>`)).join("\n");
	return { text, isError: isError === true };
}
