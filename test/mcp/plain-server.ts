/**
 * A server without an SDK, so that Tau is not tested against the code that it uses: it speaks 2025-06-18 over standard
 * input and output. Beside a tool it has a resource and a prompt; `MCP_MODE` selects what else it does.
 */
import { appendFileSync, writeFileSync } from "node:fs";

const {
	MCP_TOOLS = "1",
	MCP_DELAY_MS = "0",
	MCP_MODE = "",
	MCP_PID_FILE,
	MCP_ROOTS_FILE,
	MCP_DESCRIPTION = "Says something back",
	MCP_BARE,
} = process.env;
const delayMs = Number(MCP_DELAY_MS);
if (MCP_PID_FILE) appendFileSync(MCP_PID_FILE, `${process.pid}\n`);

interface Message {
	id?: number | string;
	method?: string;
	result?: unknown;
	error?: unknown;
	params?: {
		name?: string;
		arguments?: Record<string, unknown>;
		uri?: string;
		_meta?: { progressToken?: unknown };
	};
}

const send = (message: object): void =>
	void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

const tools = (): object[] => [
	{
		name: "echo",
		description: MCP_DESCRIPTION,
		inputSchema: { type: "object", properties: { text: { type: "string", description: "what to say" } } },
		annotations: { readOnlyHint: true },
	},
	...(MCP_BARE ? [{ name: "bare", inputSchema: { type: "object" } }] : []),
	...Array.from({ length: Number(MCP_TOOLS) - 1 }, (_, at) => ({
		name: `tracker_action_${at}`,
		description: `Does action ${at} on an issue of the tracker: ${"a long explanation of every detail. ".repeat(20)}`,
		inputSchema: {
			type: "object",
			properties: {
				issue: { type: "string", description: "The key of the issue" },
				fields: { type: "object" },
			},
			required: ["issue"],
		},
	})),
];

const text = (value: string): object => ({ content: [{ type: "text", text: value }] });

const rich = {
	content: [
		{ type: "text", text: "a text" },
		{
			type: "image",
			mimeType: "image/png",
			data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
		},
		{ type: "audio", mimeType: "audio/wav", data: "UklGRg==" },
		{ type: "resource_link", uri: "note://linked", name: "linked" },
		{ type: "resource", resource: { uri: "note://in", mimeType: "text/plain", text: "embedded text" } },
	],
	structuredContent: { answer: 42 },
};

const form = {
	message: "Which one?",
	requestedSchema: {
		type: "object",
		properties: {
			count: { type: "integer", minimum: 1 },
			sure: { type: "boolean" },
			color: { type: "string", enum: ["red", "blue"] },
		},
		required: ["count"],
	},
};

const question = {
	messages: [{ role: "user", content: { type: "text", text: "Say something" } }],
	maxTokens: 100,
};

/** The calls that wait for an answer of the client, by the id of the request to it. */
const waiting = new Map<unknown, Message["id"]>();

function ask(method: string, params: object, id: Message["id"]): void {
	const requestId = `ask-${waiting.size}`;
	waiting.set(requestId, id);
	send({ id: requestId, method, params });
}

function call({ id, params }: Message): void {
	const { arguments: args = {}, _meta } = params ?? {};
	if (args.fail === true) send({ id, result: { ...text("it did not work"), isError: true } });
	else if (MCP_MODE === "progress") {
		const progress = { progressToken: _meta?.progressToken, progress: 1, total: 2, message: "halfway" };
		send({ method: "notifications/progress", params: progress });
		// The client drops progress that it reads together with the answer: it has read it once it answers this.
		ask("ping", {}, id);
	} else if (MCP_MODE === "leak")
		send({ id, error: { code: -32_000, message: `no user has \u001b[31m${process.env.TOKEN ?? ""}` } });
	else if (MCP_MODE === "rich") send({ id, result: rich });
	else if (MCP_MODE === "elicit") ask("elicitation/create", form, id);
	else if (MCP_MODE === "sample") ask("sampling/createMessage", question, id);
	else {
		const said = String(args.text).replaceAll(/\$(\w+)/g, (_, name: string) => process.env[name] ?? "");
		send({
			id,
			result: text(`echo: ${MCP_MODE === "environment" ? said : String(args.text)} in ${process.cwd()}`),
		});
	}
}

const rootsRequest = "roots";

function handle(message: Message): void {
	const { id, method } = message;
	if (id === rootsRequest && MCP_ROOTS_FILE) writeFileSync(MCP_ROOTS_FILE, JSON.stringify(message.result));
	else if (method === "notifications/roots/list_changed") send({ id: rootsRequest, method: "roots/list" });
	else if (method === undefined) {
		const { result, error } = message;
		send({ id: waiting.get(id), result: text(JSON.stringify(result ?? error)) });
	} else if (method === "initialize")
		send({
			id,
			result: {
				protocolVersion: "2025-06-18",
				capabilities: { tools: { listChanged: true }, resources: {}, prompts: {} },
				serverInfo: { name: "plain", version: "1" },
			},
		});
	else if (method === "tools/list") send({ id, result: { tools: tools() } });
	else if (method === "tools/call") call(message);
	else if (method === "resources/list")
		send({ id, result: { resources: [{ uri: "note://one", name: "one" }] } });
	else if (method === "resources/read")
		send({
			id,
			result: {
				contents: [{ uri: message.params?.uri, mimeType: "text/plain", text: "the text of a note" }],
			},
		});
	else if (method === "prompts/list")
		send({
			id,
			result: {
				prompts: [
					{ name: "review", description: "Reviews code", arguments: [{ name: "file", required: true }] },
				],
			},
		});
	else if (method === "prompts/get")
		send({
			id,
			result: {
				messages: [
					{
						role: "user",
						content: { type: "text", text: `Review ${String(message.params?.arguments?.file)} please` },
					},
				],
			},
		});
	else if (id !== undefined) send({ id, error: { code: -32_601, message: "Method not found" } });
}

let rest = "";
process.stdin.on("data", (chunk: Buffer) => {
	rest += chunk.toString("utf8");
	for (let end = rest.indexOf("\n"); end >= 0; end = rest.indexOf("\n")) {
		const line = rest.slice(0, end);
		rest = rest.slice(end + 1);
		setTimeout(() => handle(JSON.parse(line) as Message), delayMs);
	}
});
process.stdin.on("end", () => {
	if (MCP_MODE !== "stays") process.exit(0);
});
if (MCP_MODE === "stays") {
	process.on("SIGTERM", () => {});
	setInterval(() => {}, 1_000);
}
