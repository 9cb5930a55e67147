/** The tools, resources and prompts that the conformance suite of MCP expects of a server, as an extension of Tau. */
import type { ToolCallback } from "@modelcontextprotocol/server";
import type { ExtensionAPI, McpServeEvent } from "@tau/extensions/api";

import contactSchema from "./contact-schema.json";

type Zod = ExtensionAPI["zod"];
type Served = McpServeEvent & { z: Zod };

/** One red pixel. */
const png =
	"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/** A header and no samples. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=";

const text = (value: string) => ({ type: "text" as const, text: value });
const image = { type: "image" as const, data: png, mimeType: "image/png" };
const user = <C>(content: C) => ({ role: "user" as const, content });
const said = (value: string) => ({ content: [text(value)] });

export default function conformance(pi: ExtensionAPI): void {
	ownTools(pi);
	pi.on("mcp_serve", (event) => {
		const served = { ...event, z: pi.zod };
		contentTools(served);
		askingTools(served);
		inputTools(served);
		resources(served);
		prompts(served);
	});
}

/** Tools of Tau like any other: what the model can call, clients can. */
function ownTools(pi: ExtensionAPI): void {
	const tool = (
		name: string,
		execute: () => Promise<object>,
		parameters: object = { type: "object" },
	): void =>
		pi.registerTool({
			name,
			label: name,
			description: `Answers ${name}.`,
			parameters: parameters as never,
			execute: execute as never,
		});
	tool("test_simple_text", async () => said("This is a simple text response for testing."));
	tool("test_image_content", async () => ({ content: [image] }));
	tool("test_error_handling", async () => {
		throw new Error("This tool intentionally returns an error for testing");
	});
	tool("json_schema_2020_12_tool", async () => said("ok"), contactSchema);
	tool("test_custom_headers", async () => said("ok"), {
		type: "object",
		properties: { region: { type: "string", "x-mcp-header": "Region" } },
		required: ["region"],
	});
	let changes = 0;
	tool("test_trigger_tool_change", async () => {
		tool(`test_changed_${++changes}`, async () => said("ok"));
		return said("changed");
	});
}

function contentTools({ server }: Served): void {
	const resource = (uri: string, mimeType: string, value: string) => ({
		type: "resource" as const,
		resource: { uri, mimeType, text: value },
	});
	const tool = (name: string, content: object[]): void =>
		void server.registerTool(name, { description: `Answers ${name}.` }, () => ({ content }) as never);
	tool("test_audio_content", [{ type: "audio", data: wav, mimeType: "audio/wav" }]);
	tool("test_embedded_resource", [
		resource("test://embedded-resource", "text/plain", "This is an embedded resource content."),
	]);
	tool("test_multiple_content_types", [
		text("Multiple content types test:"),
		image,
		resource("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
	]);
	for (const name of ["test_tool_with_logging", "test_logging_tool"])
		server.registerTool(name, { description: "Logs." }, async ({ mcpReq }) => {
			for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
				await mcpReq.log("info", line);
				await Bun.sleep(10);
			}
			return said("done");
		});
	server.registerTool("test_tool_with_progress", { description: "Reports progress." }, async ({ mcpReq }) => {
		const progressToken = mcpReq._meta?.progressToken;
		for (const progress of [0, 50, 100]) {
			if (progressToken !== undefined)
				await mcpReq.notify({
					method: "notifications/progress",
					params: { progressToken, progress, total: 100 },
				});
			await Bun.sleep(10);
		}
		return said("done");
	});
}

/** Tools that ask the client while they run, as revisions before 2026-07-28 do. */
function askingTools({ server, z }: Served): void {
	server.registerTool(
		"test_sampling",
		{ description: "Asks the client's model.", inputSchema: z.object({ prompt: z.string() }) },
		async ({ prompt }, { mcpReq }) => {
			const answer = await mcpReq.requestSampling({ messages: [user(text(prompt))], maxTokens: 100 });
			const [content] = [answer.content].flat();
			return said(`LLM response: ${content?.type === "text" ? content.text : ""}`);
		},
	);
	const elicits = (name: string, properties: object, required: string[] = []): void =>
		void server.registerTool(
			name,
			{
				description: "Asks the client's user.",
				inputSchema: z.object({ message: z.string().default("Please answer") }),
			},
			async ({ message }, { mcpReq }) => {
				const requestedSchema = { type: "object", properties, required } as never;
				const { action, content } = await mcpReq.elicitInput({ mode: "form", message, requestedSchema });
				return said(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
			},
		);
	const field = (description: string) => ({ type: "string", description });
	elicits("test_elicitation", { username: field("User's response"), email: field("User's email address") }, [
		"username",
		"email",
	]);
	elicits("test_elicitation_sep1034_defaults", {
		name: { type: "string", default: "John Doe" },
		age: { type: "integer", default: 30 },
		score: { type: "number", default: 95.5 },
		status: { type: "string", enum: ["active", "inactive", "pending"], default: "active" },
		verified: { type: "boolean", default: true },
	});
	const titled = (kind: string) =>
		[1, 2, 3].map((n) => ({ const: `value${n}`, title: `${["First", "Second", "Third"][n - 1]} ${kind}` }));
	const plain = ["option1", "option2", "option3"];
	elicits("test_elicitation_sep1330_enums", {
		untitledSingle: { type: "string", enum: plain },
		titledSingle: { type: "string", oneOf: titled("Option") },
		legacyEnum: {
			type: "string",
			enum: ["opt1", "opt2", "opt3"],
			enumNames: ["Option One", "Option Two", "Option Three"],
		},
		untitledMulti: { type: "array", items: { type: "string", enum: plain } },
		titledMulti: { type: "array", items: { anyOf: titled("Choice") } },
	});
}

/** Tools and a prompt that return what they need, as revision 2026-07-28 does. */
function inputTools({ server, sdk, mint, z }: Served): void {
	const { inputRequired, inputResponse, acceptedContent } = sdk;
	const form = (message: string, shape: Parameters<Zod["object"]>[0]) =>
		inputRequired.elicit({ message, requestedSchema: z.object(shape ?? {}) });
	const sample = (question: string, maxTokens: number) =>
		inputRequired.createMessage({ messages: [user(text(question))], maxTokens });
	const named = z.object({ name: z.string() });
	const tool = (name: string, run: ToolCallback): void =>
		void server.registerTool(`test_input_required_result_${name}`, { description: "Asks in between." }, run);
	const askName = { user_name: form("What is your name?", { name: z.string() }) };
	tool("elicitation", ({ mcpReq }) => {
		const answer = acceptedContent(mcpReq.inputResponses, "user_name", named);
		return answer ? said(`Hello, ${answer.name}!`) : inputRequired({ inputRequests: askName });
	});
	tool("sampling", ({ mcpReq }) => {
		const answer = inputResponse(mcpReq.inputResponses, "capital_question");
		if (answer.kind === "sampling") return said(JSON.stringify(answer.result.content));
		return inputRequired({
			inputRequests: { capital_question: sample("What is the capital of France?", 100) },
		});
	});
	tool("list_roots", ({ mcpReq }) => {
		const answer = inputResponse(mcpReq.inputResponses, "client_roots");
		if (answer.kind === "roots") return said(JSON.stringify(answer.roots));
		return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } });
	});
	const confirm = { confirm: form("Please confirm", { ok: z.boolean() }) };
	for (const name of ["request_state", "tampered_state"])
		tool(name, async ({ mcpReq }) => {
			const { inputResponses, requestState } = mcpReq;
			if (inputResponses && requestState()) return said("state-ok");
			return inputRequired({ inputRequests: confirm, requestState: await mint({ round: 1 }) });
		});
	tool("capabilities", ({ mcpReq }) => {
		if (mcpReq.inputResponses) return said("done");
		const envelope: Readonly<Record<string, unknown>> = mcpReq.envelope ?? {};
		const { elicitation } = (envelope[sdk.CLIENT_CAPABILITIES_META_KEY] ?? {}) as { elicitation?: object };
		const inputRequests = elicitation ? askName : { greeting: sample("Generate a greeting", 50) };
		return inputRequired({ inputRequests });
	});
	tool("multiple_inputs", async ({ mcpReq }) => {
		const { inputResponses = {} } = mcpReq;
		if (["user_name", "greeting", "client_roots"].every((key) => key in inputResponses)) return said("done");
		return inputRequired({
			inputRequests: {
				...askName,
				greeting: sample("Generate a greeting", 50),
				client_roots: inputRequired.listRoots(),
			},
			requestState: await mint({ round: 1 }),
		});
	});
	tool("multi_round", async ({ mcpReq }) => {
		const { round = 0 } = mcpReq.requestState<{ round: number }>() ?? {};
		const steps = [
			{ step1: form("Step 1: What is your name?", { name: z.string() }) },
			{ step2: form("Step 2: What is your favorite color?", { color: z.string() }) },
		];
		const inputRequests = steps[round];
		if (!inputRequests) return said("done");
		return inputRequired({ inputRequests, requestState: await mint({ round: round + 1 }) });
	});
	server.registerTool("test_missing_capability", { description: "Needs the client's model." }, () =>
		inputRequired({ inputRequests: { greeting: sample("Generate a greeting", 50) } }),
	);
	server.registerTool("test_streaming_elicitation", { description: "Asks in a stream." }, () =>
		inputRequired({ inputRequests: askName }),
	);
	server.registerPrompt(
		"test_input_required_result_prompt",
		{ description: "Asks for its context." },
		({ mcpReq }) => {
			const context = z.object({ context: z.string() });
			const answer = acceptedContent(mcpReq.inputResponses, "user_context", context);
			if (answer) return { messages: [user(text(answer.context))] };
			const ask = form("What context should the prompt use?", { context: z.string() });
			return inputRequired({ inputRequests: { user_context: ask } });
		},
	);
}

function resources({ server, sdk }: Served): void {
	const about = (description: string, mimeType: string) => ({ description, mimeType });
	server.registerResource(
		"static-text",
		"test://static-text",
		about("A text.", "text/plain"),
		({ href: uri }) => ({
			contents: [{ uri, mimeType: "text/plain", text: "This is the content of the static text resource." }],
		}),
	);
	server.registerResource(
		"static-binary",
		"test://static-binary",
		about("A picture.", "image/png"),
		({ href: uri }) => ({ contents: [{ uri, mimeType: "image/png", blob: png }] }),
	);
	server.registerResource(
		"template",
		new sdk.ResourceTemplate("test://template/{id}/data", { list: undefined }),
		about("Data by id.", "application/json"),
		({ href: uri }, { id }) => ({
			contents: [
				{
					uri,
					mimeType: "application/json",
					text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
				},
			],
		}),
	);
	server.registerResource(
		"watched",
		"test://watched-resource",
		about("It may change.", "text/plain"),
		({ href: uri }) => ({ contents: [{ uri, mimeType: "text/plain", text: "unchanged" }] }),
	);
	server.server.registerCapabilities({ resources: { subscribe: true } });
	server.server.setRequestHandler("resources/subscribe", () => ({}));
	server.server.setRequestHandler("resources/unsubscribe", () => ({}));
}

function prompts({ server, sdk, z }: Served): void {
	server.registerPrompt("test_simple_prompt", { description: "A simple prompt." }, () => ({
		messages: [user(text("This is a simple prompt for testing."))],
	}));
	const argument = (description: string) => z.string().describe(description);
	server.registerPrompt(
		"test_prompt_with_arguments",
		{
			description: "A prompt with arguments.",
			argsSchema: z.object({
				arg1: sdk.completable(argument("First test argument"), (value) =>
					["paris", "park", "party"].filter((word) => word.startsWith(value)),
				),
				arg2: argument("Second test argument"),
			}),
		},
		({ arg1, arg2 }) => ({
			messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
		}),
	);
	server.registerPrompt(
		"test_prompt_with_embedded_resource",
		{
			description: "A prompt with a resource.",
			argsSchema: z.object({ resourceUri: argument("URI of the resource to embed") }),
		},
		({ resourceUri: uri }) => ({
			messages: [
				user({
					type: "resource" as const,
					resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
				}),
				user(text("Please process the embedded resource above.")),
			],
		}),
	);
	server.registerPrompt("test_prompt_with_image", { description: "A prompt with a picture." }, () => ({
		messages: [user(image), user(text("Please analyze the image above."))],
	}));
}
