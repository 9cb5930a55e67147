/**
 * Tau as a client of the conformance suite: the address of its server goes into a configuration file, and the real program
 * runs with a model that plays the calls of the scenario.
 */
import { join } from "node:path";

import type { Scenario } from "@tau/ai/testing";

import { startRpc } from "../rpc/rpc-process.ts";
import { writeTestFile } from "../support/files.ts";
import { launch, root, type Launched } from "../support/launch.ts";

type Call = [tool: string, args?: Record<string, unknown>];

interface Context {
	client_id?: string;
	client_secret?: string;
	toolCalls?: { name: string; arguments: Record<string, unknown> }[];
}

/** What the suite gives a client that it starts. */
export interface ClientStart {
	scenario: string;
	context: Context;
	/** The address of its server. */
	url: string;
}

const server = "conf";

/** What the model does after it has searched. */
const calls: Record<string, Call[]> = {
	tools_call: [["mcp_conf_add_numbers", { a: 5, b: 3 }]],
	"sse-retry": [["mcp_conf_test_reconnection"]],
	"elicitation-sep1034-client-defaults": [["mcp_conf_test_client_elicitation_defaults"]],
	"sep-2322-client-request-state": [
		["mcp_conf_test_mrtr_echo_state"],
		["mcp_conf_test_mrtr_unrelated"],
		["mcp_conf_test_mrtr_no_state"],
		["mcp_conf_test_mrtr_no_result_type"],
	],
	"http-standard-headers": [
		["mcp_conf_test_headers"],
		["mcp_conf_my_hyphenated_tool"],
		["read", { path: `mcp://${server}/file:///path/to/file%20name.txt` }],
	],
	"http-invalid-tool-headers": [["mcp_conf_valid_tool", { region: "here" }]],
	"json-schema-2020-12-preservation": [["echo_schema"]],
};

/** The model's API has no `$schema`: what Tau itself has of a schema is what an extension sees. */
const echoSchema = `export default (pi) => pi.registerTool({
	name: "echo_schema",
	description: "Sends a schema back",
	parameters: { type: "object", properties: {} },
	async execute(id, params, signal, update, context) {
		const tool = pi.getAllTools().find(({ name }) => name === "mcp_conf_json_schema_2020_12_tool");
		const { $schema, ...rest } = tool.parameters;
		return await context.executeTool("mcp_conf_json_schema_echo", { schema: { $schema, ...rest } });
	},
});`;

function callsOf({ scenario, context }: ClientStart): Call[] {
	if (scenario === "http-custom-headers")
		return (context.toolCalls ?? []).map(({ name, arguments: args }) => [`mcp_conf_${name}`, args]);
	return calls[scenario] ?? (scenario.startsWith("auth/") ? [["mcp_conf_test_tool"]] : []);
}

function stepsOf(start: ClientStart): Scenario["steps"] {
	// Words that no built-in tool has: a search that finds something does not wait long for slow servers.
	const all: Call[] = [["search_tools", { query: `mcp ${server}`, limit: 20 }], ...callsOf(start)];
	return [
		...all.map(([name, args = {}]) => ({ answer: { blocks: [{ toolCall: { name, arguments: args } }] } })),
		"Done.",
	];
}

function configure(tau: Launched, { scenario, context, url }: ClientStart): void {
	const auth = {
		...(scenario === "auth/basic-cimd"
			? { clientMetadataUrl: "https://conformance-test.local/client-metadata.json" }
			: {}),
		...(context.client_id ? { clientId: context.client_id } : {}),
		...(context.client_secret ? { clientSecret: context.client_secret } : {}),
	};
	const mcpServers = { [server]: { type: "http", url, ...(scenario.startsWith("auth/") ? { auth } : {}) } };
	writeTestFile(join(tau.agentDir, "mcp.json"), JSON.stringify({ mcpServers }));
	writeTestFile(join(tau.agentDir, "config.yml"), "mcp:\n  login: auto\n");
	if (scenario.startsWith("json-schema-2020"))
		writeTestFile(join(tau.agentDir, "extensions/echo-schema.ts"), echoSchema);
}

/** Extensions of the protocol that Tau does not have: the suite starts them all the same, and does not count them. */
const isExtension = /^auth\/(?:client-credentials|enterprise-managed|dpop|wif)/;
const browser = `${join(root, "node_modules/.bin/bun")} ${join(import.meta.dir, "follow-redirects.ts")}`;

/** The exit code of the client, and what it printed. */
export async function runScenario(start: ClientStart): Promise<{ code: number; log: string }> {
	const { scenario } = start;
	if (isExtension.test(scenario)) return { code: 1, log: "an extension of the protocol\n" };
	await using tau = await launch({ steps: stepsOf(start), fallback: "Done." });
	configure(tau, start);
	if (scenario.startsWith("elicitation")) {
		await runWithUser(tau);
		return { code: 0, log: "" };
	}
	const prompts = scenario === "http-standard-headers" ? ["go", `/${server}:test_prompt`] : ["go"];
	const env = { BROWSER: browser };
	const { code, out, err } = await tau.run(["-p", "--model", "played/played-1", ...prompts], { env });
	const results = tau.played.requests.slice(1).map(({ body }) => {
		const { messages } = body as { messages: { content: unknown }[] };
		return `${JSON.stringify(messages.at(-1)?.content)}\n`;
	});
	return { code, log: `tau: code ${code}\n${out}${err}${results.join("")}` };
}

/** A client that answers each question with what is proposed. */
async function runWithUser(tau: Launched): Promise<void> {
	await using rpc = startRpc(tau, ["--model", "played/played-1"]);
	await rpc.ask({ type: "prompt", message: "go" });
	for (let seen = 0; ;) {
		const frame = await rpc.until(
			({ type }) => type === "extension_ui_request" || type === "agent_end",
			seen,
		);
		seen = rpc.frames.indexOf(frame) + 1;
		if (frame.type === "agent_end") return;
		const value = frame.method === "select" ? (frame.options as string[])[0] : "";
		rpc.write({ type: "extension_ui_response", id: frame.id, value });
	}
}
