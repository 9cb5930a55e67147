/**
 * A server without an SDK, so that Tau is not tested against the code that it uses: it speaks 2025-06-18 over standard
 * input and output. `MCP_FAULT` selects what it does wrong.
 */
import { appendFileSync, existsSync } from "node:fs";

const {
	MCP_TOOLS = "1",
	MCP_DELAY_MS = "0",
	MCP_FAULT = "",
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

const faults: Record<string, (id: Message["id"]) => void> = {
	hang: () => {},
	die: () => process.exit(3),
	"die-once": (id) => {
		const mark = process.env.MCP_MARK ?? "";
		if (existsSync(mark)) send({ id, result: { content: [{ type: "text", text: "alive again" }] } });
		else {
			appendFileSync(mark, "died\n");
			process.exit(3);
		}
	},
	huge: (id) => {
		process.stdout.write(
			`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[{"type":"text","text":"`,
		);
		const piece = "x".repeat(1024 * 1024);
		for (let at = 0; at < 100; at++) process.stdout.write(piece);
		process.stdout.write(`"}]}}\n`);
	},
	garbage: (id) => {
		process.stdout.write("Listening on port 3000\n{ not json\n[1,2\n\n");
		send({ id: 999_999, result: {} });
		send({ id, result: { content: [{ type: "text", text: "after garbage" }] } });
	},
	controls: (id) =>
		send({
			id,
			result: { content: [{ type: "text", text: "a\u001b]0;title\u0007\u001b[31mred\u001b[0m" }] },
		}),
	torn: (id) => {
		const text = `${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "whole" }] } })}\n`;
		process.stdout.write(text.slice(0, 20));
		setTimeout(() => process.stdout.write(text.slice(20)), 20);
	},
	progress: () => {},
};

function call({ id, params }: Message): void {
	const { arguments: args = {}, _meta } = params ?? {};
	if (MCP_FAULT === "progress") {
		send({
			method: "notifications/progress",
			params: { progressToken: _meta?.progressToken, progress: 1, total: 2, message: "halfway" },
		});
		setTimeout(() => send({ id, result: { content: [{ type: "text", text: "done" }] } }), 100);
		return;
	}
	const fault = faults[MCP_FAULT];
	if (fault) fault(id);
	else if (args.fail === true)
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
		if (MCP_FAULT !== "silent") setTimeout(() => handle(JSON.parse(line) as Message), delayMs);
	}
});
process.stdin.on("end", () => {
	if (MCP_FAULT !== "stays") process.exit(0);
});
if (MCP_FAULT === "stays") {
	process.on("SIGTERM", () => {});
	setInterval(() => {}, 1_000);
}
