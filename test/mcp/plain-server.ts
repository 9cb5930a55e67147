/**
 * A server without an SDK, so that Tau is not tested against the code that it uses: it speaks 2025-06-18 over standard
 * input and output. Beside a tool it has a resource and a prompt; `MCP_MODE` selects what else it does.
 */
import { appendFileSync } from "node:fs";

const {
	MCP_TOOLS = "1",
	MCP_DELAY_MS = "0",
	MCP_MODE = "",
	MCP_PID_FILE,
	MCP_DESCRIPTION = "Says something back",
} = process.env;
const delayMs = Number(MCP_DELAY_MS);
if (MCP_PID_FILE) appendFileSync(MCP_PID_FILE, `${process.pid}\n`);

interface Message {
	id?: number | string;
	method: string;
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

function call({ id, params }: Message): void {
	const { arguments: args = {}, _meta } = params ?? {};
	if (MCP_MODE === "progress") {
		send({
			method: "notifications/progress",
			params: { progressToken: _meta?.progressToken, progress: 1, total: 2, message: "halfway" },
		});
		setTimeout(() => send({ id, result: { content: [{ type: "text", text: "done" }] } }), 100);
		return;
	}
	if (args.fail === true)
		send({ id, result: { content: [{ type: "text", text: "it did not work" }], isError: true } });
	else
		send({
			id,
			result: { content: [{ type: "text", text: `echo: ${String(args.text)} in ${process.cwd()}` }] },
		});
}

function handle(message: Message): void {
	const { id, method } = message;
	if (method === "initialize")
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
